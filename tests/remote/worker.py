"""A worker of a cluster: takes actions from a server of the Remote Workers API and runs them here, one at a time.

    bazel run //tests/remote:worker -- --server localhost:8980 --folder /var/tmp/worker

Run as many as there are cores to give; those with one folder share the files they have fetched. Commands find the
programs of this machine: the same Python at the same path as the clients', a C compiler, QEMU. They are held to
their declared inputs by an empty folder and environment, not by a jail: run it where you would run the commands.
"""

import argparse
import logging
import os
import shutil
import signal
import socket
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYetError
from pathlib import Path
from types import FrameType

import grpc
from action import ActionCancelledError, ActionTimeoutError, run_action
from content import ContentAtHand, MissingContentError, Store
from protocol import BotsStub, bots, code, connect, reapi

_log = logging.getLogger("worker")

# How long the server may keep a question for work open, and how often it hears of a command that still runs.
_POLL_SECONDS = 30.0
_SHORT_POLL_SECONDS = 5.0
_HEARTBEAT_SECONDS = 5.0
_RETRY_SECONDS = 2.0


class Worker:
    """One session with the server, begun again when the server forgets it."""

    def __init__(self, channel: grpc.Channel, folder: Path, name: str, instance: str = "") -> None:
        self.name = name
        self._instance = instance
        self._bots = BotsStub(channel)
        self._store = Store(channel, instance)
        self._at_hand = ContentAtHand(folder / "contents", self._store)
        self._folder = folder / "actions" / name
        shutil.rmtree(self._folder, ignore_errors=True)
        self._stopped = threading.Event()
        self._cancelled = threading.Event()
        self._question: grpc.Future[bots.BotSession] | None = None

    def stop(self) -> None:
        """Takes no more work; a command that runs is ended and goes to another worker."""
        self._stopped.set()
        self._cancelled.set()
        if self._question:
            self._question.cancel()

    def run(self) -> None:
        """Until stopped."""
        with ThreadPoolExecutor(1) as executor:
            while not self._stopped.is_set():
                try:
                    self._serve(executor)
                except (grpc.RpcError, grpc.FutureCancelledError) as error:
                    if not self._stopped.is_set():
                        _log.warning("%s: %s; trying again", self.name, error)
                        self._stopped.wait(_RETRY_SECONDS)

    def _serve(self, executor: ThreadPoolExecutor) -> None:
        """Until stopped, or until the server refuses the session."""
        session = bots.BotSession(bot_id=self.name, status=bots.BotStatus.OK)
        session.worker.devices.add(handle=self.name)
        request = bots.CreateBotSessionRequest(parent=self._instance, bot_session=session)
        session = self._bots.CreateBotSession(request, timeout=_SHORT_POLL_SECONDS)
        _log.info("%s: at work", self.name)
        try:
            while not self._stopped.is_set():
                session = self._work(session, executor) if session.leases else self._update(session)
        finally:
            if self._stopped.is_set():
                session.status = bots.BotStatus.BOT_TERMINATING
                self._update(session, _SHORT_POLL_SECONDS)

    def _update(self, session: bots.BotSession, seconds: float = _POLL_SECONDS) -> bots.BotSession:
        """Tells the server how the lease is; without one, waits for work."""
        request = bots.UpdateBotSessionRequest(name=session.name, bot_session=session)
        self._question = self._bots.UpdateBotSession.future(request, timeout=seconds)
        return self._question.result()

    def _work(self, session: bots.BotSession, executor: ThreadPoolExecutor) -> bots.BotSession:
        """Runs the session's lease to its end, keeping the session alive; the session that the server then has."""
        lease = session.leases[0]
        self._cancelled.clear()
        future = executor.submit(self._run, lease, self._cancelled)
        try:
            while (done := _result(future, _HEARTBEAT_SECONDS)) is None:
                lease.state = bots.LeaseState.ACTIVE
                session = self._update(session)
                if lease.id not in [other.id for other in session.leases]:
                    _log.info("%s: nobody wants %s any more", self.name, lease.id)
                    return session
        finally:
            self._cancelled.set()
        del session.leases[:]
        session.leases.append(done)
        return self._update(session, _SHORT_POLL_SECONDS)

    def _run(self, lease: bots.Lease, cancelled: threading.Event) -> bots.Lease:
        """The lease with its result, whatever happens. Statuses INTERNAL and UNAVAILABLE have it tried elsewhere."""
        done = bots.Lease(id=lease.id, state=bots.LeaseState.COMPLETED)
        started = time.monotonic()
        result: reapi.ActionResult | None = None
        try:
            folder = self._folder / lease.id.replace("/", "_")
            action = self._action(lease)
            result = run_action(action, folder, self._at_hand, self._store, cancelled)
        except ActionTimeoutError as error:
            result = error.result
            done.status.code, done.status.message = code.DEADLINE_EXCEEDED, str(error)
        except MissingContentError as error:
            done.status.code, done.status.message = code.FAILED_PRECONDITION, str(error)
        except ActionCancelledError:
            done.status.code, done.status.message = code.UNAVAILABLE, f"{self.name} gave up"
        except Exception as error:
            _log.exception("%s: %s broke", self.name, lease.id)
            done.status.code, done.status.message = code.INTERNAL, f"{self.name}: {error!r}"
        if result is not None:
            result.execution_metadata.worker = self.name
            done.result.Pack(result)
        seconds = time.monotonic() - started
        outcome = done.status.message or f"exit status {result.exit_code if result else '?'}"
        _log.info("%s: %s, %.2f s, %s", self.name, lease.id, seconds, outcome)
        return done

    def _action(self, lease: bots.Lease) -> reapi.Action:
        """Servers send an action or its digest."""
        action, digest = reapi.Action(), reapi.Digest()
        if lease.payload.Unpack(action):
            return action
        if lease.payload.Unpack(digest):
            return reapi.Action.FromString(self._at_hand.message(digest))
        raise TypeError(f"expected an action or its digest, got a {lease.payload.type_url}")


def _result(future: Future[bots.Lease], seconds: float) -> bots.Lease | None:
    """None when there is none yet."""
    try:
        return future.result(timeout=seconds)
    except NotYetError:
        return None


def main() -> int:
    """Runs until interrupted or terminated."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument(
        "--server", required=True, help="HOST:PORT of the execution service and the store"
    )
    parser.add_argument(
        "--folder", required=True, type=Path, help="for fetched files and running actions"
    )
    parser.add_argument(
        "--name", default=f"{socket.gethostname()}-{os.getpid()}", help="unique in the cluster"
    )
    parser.add_argument("--instance", default="", help="the server's name for this cluster")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    with connect(arguments.server) as channel:
        worker = Worker(channel, arguments.folder, arguments.name, arguments.instance)

        def stop(_number: int, _frame: FrameType | None) -> None:
            worker.stop()

        signal.signal(signal.SIGINT, stop)
        signal.signal(signal.SIGTERM, stop)
        thread = threading.Thread(target=worker.run)
        thread.start()
        while thread.is_alive():
            thread.join(0.2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
