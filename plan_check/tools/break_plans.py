"""Breaks plans on purpose, each in a way that is a break by construction, and says whether all are refused.

    python break_plans.py [--count 200] [--seed 0] PLAN...

Exit status: 0 all given plans hold and all broken ones are refused, 1 not, 2 wrong use.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from breaks import BREAKS, Json
from tinsmith_plan_check import PlanFileError, PlanRefusedError, check_plan, read_plan


@dataclass(frozen=True)
class Verdict:
    """What the checker says of one broken plan. refusal: "" if it was accepted, which it must not be."""

    plan: str
    name: str
    what: str
    refusal: str


def judge(data: bytes) -> str:
    """Why a plan is refused; "" if it holds. Raises PlanFileError for a file that is no plan."""
    try:
        check_plan(read_plan(data))
    except PlanRefusedError as error:
        return str(error)
    return ""


def break_plans(plans: Sequence[tuple[str, bytes]], count: int, seed: int) -> list[Verdict]:
    """So many broken plans judged: of each kind of break in turn, each of any plan that has something of that kind."""
    random = Random(seed)
    found: list[Verdict] = []
    kinds = [*BREAKS]
    while kinds and len(found) < count:
        for name in [*kinds]:
            verdict = _broken(plans, random, name)
            if verdict is None:
                kinds.remove(name)
            elif len(found) < count:
                found.append(verdict)
    return found


def _broken(plans: Sequence[tuple[str, bytes]], random: Random, name: str) -> Verdict | None:
    """None if no plan has anything of that kind to break."""
    for label, data in random.sample(plans, len(plans)):
        plan: Json = json.loads(data)
        what = BREAKS[name](plan, random)
        if what is None:
            continue
        try:
            refusal = judge(json.dumps(plan).encode())
        except PlanFileError as error:
            # A break of the format would prove nothing of the checks.
            raise AssertionError(f"{name}, {what}: broke the format: {error}") from error
        return Verdict(label, name, what, refusal)
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("plans", type=Path, nargs="+", metavar="PLAN")
    parser.add_argument("--count", type=int, default=200, metavar="N", help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    try:
        parsed = parser.parse_args(arguments)
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 2
    plans: list[tuple[str, bytes]] = []
    status = 0
    for path in parsed.plans:
        data = path.read_bytes()
        refusal = judge(data)
        if refusal:
            print(f"{path}: refused as it is: {refusal}")
            status = 1
        plans.append((str(path), data))
    verdicts = break_plans(plans, parsed.count, parsed.seed)
    for verdict in verdicts:
        if not verdict.refusal:
            print(f"{verdict.plan}: ACCEPTED though broken: {verdict.name}: {verdict.what}")
    kinds = Counter(verdict.name for verdict in verdicts)
    claims = Counter(verdict.refusal.split(":")[0] for verdict in verdicts)
    refused = sum(1 for verdict in verdicts if verdict.refusal)
    print(f"{refused} of {len(verdicts)} broken plans refused, of {len(kinds)} kinds:")
    print(", ".join(f"{name} {number}" for name, number in sorted(kinds.items())))
    print("by claim: " + ", ".join(f"{name} {number}" for name, number in sorted(claims.items())))
    return status if refused == len(verdicts) == parsed.count else 1


if __name__ == "__main__":
    sys.exit(main())
