"""Pages with nothing to load: a template of this folder and the one stylesheet, filled with values."""

from importlib.resources import files

import jinja2
from tinsmith_ir.escape import visible


def rendered(template: str, **values: object) -> str:
    """The page of the file `template`. Its texts are escaped; names come as they are in model files, and are shown so
    that nothing of them acts. `style` is the stylesheet.
    """
    folder = files("tinsmith_driver")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(
            lambda name: folder.joinpath(name).read_text(encoding="utf-8")
        ),
        autoescape=True,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    style = folder.joinpath("page.css").read_text(encoding="utf-8")
    return environment.get_template(template).render(style=style, **values)


def _visible(value: object) -> object:
    """What the template prints. Of text that is markup already only values were names, and they are visible."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return visible(value)
    return value
