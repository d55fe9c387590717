"""Python's bytecode of a library: `python_bytecode`, data of the py_library with the same sources.

Without it every process that starts in a sandbox compiles every module that it imports.
"""

def _python_bytecode_impl(ctx):
    folders = {}
    for source in ctx.files.srcs:
        folders.setdefault(source.short_path.rpartition("/")[0], []).append(source)
    prefix = ctx.label.package + "/"
    if ctx.label.workspace_name:
        prefix = "../{}/{}".format(ctx.label.workspace_name, prefix)
    made = []
    arguments = ctx.actions.args()
    for folder, sources in folders.items():
        # A folder, as the names of the files in it tell Python's version.
        cache = ctx.actions.declare_directory(folder[len(prefix):] + "/__pycache__")
        made.append(cache)
        arguments.add("--into", cache.path)
        arguments.add_all(sources)
    ctx.actions.run(
        arguments = [arguments],
        # The order in a frozenset is that of hashes.
        env = {"PYTHONHASHSEED": "0"},
        executable = ctx.executable._compiler,
        inputs = ctx.files.srcs,
        mnemonic = "PythonBytecode",
        outputs = made,
        progress_message = "Compiling Python of {}".format(ctx.label.package),
    )
    return [DefaultInfo(files = depset(made), runfiles = ctx.runfiles(made))]

python_bytecode = rule(
    implementation = _python_bytecode_impl,
    attrs = {
        "srcs": attr.label_list(
            allow_files = [".py"],
            mandatory = True,
            doc = "Files in folders of their own below the package: bytecode lies in a `__pycache__` beside them.",
        ),
        "_compiler": attr.label(
            cfg = "exec",
            default = Label("//third_party/python:compile_bytecode"),
            executable = True,
        ),
    },
    doc = "What Python finds beside modules, and takes if it is of their present text.",
)
