"""What is said of a plan that is not accepted."""


class PlanFileError(Exception):
    """A file that is no plan: it cannot be read, or breaks the format."""


class PlanRefusedError(Exception):
    """A plan of which a claim does not hold.

    claim: which one. where: the step, buffer or memory. expected, got: what the claim says or needs, and what is so.
    """

    def __init__(self, claim: str, where: str, expected: object, got: object) -> None:
        super().__init__(f"{claim}: {where}: expected {expected}, got {got}")
        self.claim = claim
        self.where = where
        self.expected = expected
        self.got = got
