"""Functions that generate, as tools: certified by the values that the program takes."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import gc
import inspect
import unittest
import weakref
from typing import Any, AsyncIterator, Dict, Generator, Iterator, List, Tuple

from certified_program import NODE_DOWN, hash_of
from test_projects import Case

from cer_client import Certificates


async def read_all(values: AsyncIterator[Any]) -> List[Any]:
    return [value async for value in values]


def count(to: int) -> Generator[Any, None, int]:
    for at in range(1, to + 1):
        yield {"at": at}
    return to


async def words(*given: str) -> AsyncIterator[str]:
    for word in given:
        yield word


def endless() -> Iterator[int]:
    at = 0
    while True:
        yield at
        at += 1


async def endless_later() -> AsyncIterator[int]:
    for at in endless():
        yield at


class Row(Dict[str, int]):
    """A value that the tests follow by a weak reference."""


class Fault(Exception):
    """An error that the tests follow by a weak reference."""


class Generators(Case):
    def ends(self) -> List[Tuple[str, str]]:
        return [
            (bundle["context"]["signals"][0]["payload"]["outcome"], bundle["snapshot"]["outputHash"])
            for bundle in self.bundles()
        ]

    def test_are_certified_by_the_values_that_the_program_takes(self) -> None:
        cer = self.certificates()

        async def later() -> Iterator[int]:
            return (at for at in (1, 2))

        counted = cer.tool(count)(2)
        self.assertTrue(inspect.isgenerator(counted))
        self.assertEqual(repr(counted).split(" at ")[0], "<generator object count")
        self.assertEqual(cer.stats().open, 1)
        self.assertEqual(list(counted), [{"at": 1}, {"at": 2}])
        self.assertEqual(asyncio.run(read_all(cer.tool(words)("Hel", "lo"))), ["Hel", "lo"])
        self.assertEqual(list(asyncio.run(cer.tool(later)())), [1, 2])
        self.assertEqual(
            self.ends(),
            [
                ("complete", hash_of({"yielded": [{"at": 1}, {"at": 2}], "returned": 2})),
                ("complete", hash_of(["Hel", "lo"])),
                ("complete", hash_of([1, 2])),
            ],
        )
        self.assertEqual(self.bundles()[0]["snapshot"]["inputHash"], hash_of({"to": 2}))
        self.no_faults()

    def test_are_certified_as_failed_with_the_values_before_their_error(self) -> None:
        cer, fault = self.certificates(), ValueError("late")

        def fails() -> Iterator[str]:
            yield "a"
            raise fault

        async def fails_later() -> AsyncIterator[str]:
            yield "a"
            raise fault

        with self.assertRaises(ValueError) as caught:
            list(cer.tool(fails)())
        self.assertIs(caught.exception, fault)
        with self.assertRaises(ValueError) as caught:
            asyncio.run(read_all(cer.tool(fails_later)()))
        self.assertIs(caught.exception, fault)
        self.assertEqual(self.ends(), [("failed", hash_of(["a"]))] * 2)

    def test_are_certified_as_aborted_when_the_program_leaves_or_drops_them(self) -> None:
        cer = self.certificates()

        async def leave() -> None:
            values = cer.tool(endless_later)()
            async for at in values:
                if at == 1:
                    break
            await values.aclose()  # type: ignore[attr-defined]

        async def cancel() -> None:
            async def slow() -> AsyncIterator[int]:
                yield 1
                await asyncio.sleep(60)

            task = asyncio.ensure_future(read_all(cer.tool(slow)()))
            await asyncio.sleep(0.01)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        values = cer.tool(endless)()
        self.assertEqual([next(values), next(values)], [0, 1])
        values.close()  # type: ignore[attr-defined]
        asyncio.run(leave())
        asyncio.run(cancel())
        next(cer.tool(endless)())
        # Never begun.
        cer.tool(endless)()
        gc.collect()
        outputs = [[0, 1], [0, 1], [1], [0], []]
        self.assertEqual(self.ends(), [("aborted", hash_of(output)) for output in outputs])
        self.assertEqual(cer.stats().open, 0)

    def test_get_what_the_program_sends_and_throws(self) -> None:
        seen: List[object] = []

        def echo() -> Generator[str, Any, str]:
            try:
                seen.append((yield "first"))
                yield "second"
            except KeyError as error:
                seen.append(error)
                yield "caught"
            finally:
                seen.append("cleanup")
            return "end"

        async def echo_later() -> Any:
            try:
                seen.append((yield "first"))
                yield "second"
            except KeyError as error:
                seen.append(error)
                yield "caught"

        cer, fault = self.certificates(), KeyError("thrown")
        steps = cer.tool(echo)()
        self.assertEqual([next(steps), steps.send("sent"), steps.throw(fault)], ["first", "second", "caught"])
        with self.assertRaises(StopIteration) as stop:
            next(steps)
        self.assertEqual((stop.exception.value, seen), ("end", ["sent", fault, "cleanup"]))

        async def work() -> List[Any]:
            values = cer.tool(echo_later)()
            return [await values.__anext__(), await values.asend("later"), await values.athrow(fault)]

        self.assertEqual(asyncio.run(work()), ["first", "second", "caught"])
        self.assertEqual(seen[3:], ["later", fault])

    def test_decide_what_leaving_them_does(self) -> None:
        cer, thrown = self.certificates(), GeneratorExit("the program's own")

        def stays() -> Generator[Any, Any, None]:
            try:
                yield "first"
            except GeneratorExit as error:
                yield error

        values = cer.tool(stays)()
        self.assertEqual([next(values), values.throw(thrown), list(values)], ["first", thrown, []])
        for tool in (stays, cer.tool(stays)):
            values = tool()
            next(values)
            with self.assertRaisesRegex(RuntimeError, "^generator ignored GeneratorExit$"):
                values.close()
        self.assertEqual(self.ends(), [("aborted", hash_of(["first"]))] * 2)

    def test_close_with_the_value_that_they_return(self) -> None:
        def returns() -> Generator[int, None, str]:
            try:
                yield 1
            except GeneratorExit:
                return "left"
            return "end"

        closed: List[object] = []
        for tool in (returns, self.certificates().tool(returns)):
            values: Any = tool()
            next(values)
            closed.append(values.close())
        # From Python 3.13 on a value.
        self.assertEqual(closed[1], closed[0])

    def test_keep_nothing_alive_that_the_program_gave_up(self) -> None:
        rows: List["weakref.ref[Row]"] = []

        def row() -> Row:
            made = Row(at=1)
            rows.append(weakref.ref(made))
            return made

        def kept() -> int:
            return sum(found() is not None for found in rows)

        def pages() -> Iterator[Any]:
            yield row()
            yield kept()

        async def pages_later() -> AsyncIterator[Any]:
            yield row()
            yield kept()

        def thrown(values: Any) -> "weakref.ref[Fault]":
            fault = Fault()
            found = weakref.ref(fault)
            with contextlib.suppress(Fault):
                next(values)
                values.throw(fault)
            del fault
            return found

        async def thrown_later(values: Any) -> "weakref.ref[Fault]":
            fault = Fault()
            found = weakref.ref(fault)
            with contextlib.suppress(Fault):
                await values.__anext__()
                await values.athrow(fault)
            del fault
            return found

        cer = self.certificates()
        gc.disable()
        self.addCleanup(gc.enable)
        values = cer.tool(pages)()
        next(values)
        self.assertEqual(next(values), 0)
        later = cer.tool(pages_later)()

        async def work() -> int:
            await later.__anext__()
            return int(await later.__anext__())

        self.assertEqual(asyncio.run(work()), 0)
        self.assertIsNone(thrown(cer.tool(endless)())())
        self.assertIsNone(asyncio.run(thrown_later(cer.tool(endless_later)()))())

    def test_that_a_function_keeps_stay_open_when_the_program_drops_them(self) -> None:
        cer, kept = self.certificates(), endless()

        def keeping() -> Any:
            return kept

        tool = cer.tool(keeping)
        self.assertEqual([next(tool()), next(tool()), next(kept)], [0, 1, 2])
        self.assertEqual(self.ends(), [("aborted", hash_of([0])), ("aborted", hash_of([1]))])
        left = tool()
        next(left)
        left.close()
        self.assertEqual(list(kept), [])

    def test_are_closed_once_by_an_event_loop_that_ends(self) -> None:
        left: List[Any] = []
        reported: List[object] = []

        async def slow_to_close() -> AsyncIterator[int]:
            try:
                yield 1
            finally:
                await asyncio.sleep(0)
                left.append("closed")

        async def work() -> None:
            asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
            values = self.certificates().tool(slow_to_close)()
            left.append(values)
            await values.__anext__()

        asyncio.run(work())
        self.assertEqual((left[1:], reported), (["closed"], []))
        self.assertEqual(self.ends(), [("aborted", hash_of([1]))])

    def test_are_not_certified_by_more_values_than_fit_in_memory(self) -> None:
        cer = self.certificates()

        def large() -> Iterator[str]:
            for _ in range(20):
                yield "x" * 1024 * 1024

        self.assertEqual(len(list(cer.tool(large)())), 20)
        stats = cer.stats()
        self.assertEqual((stats.seen, stats.open, stats.unsealed, stats.sealed), (1, 0, 1, 0))
        self.assertEqual(
            [str(fault) for fault in self.faults], ["a generator is not certified: its values are too large to keep"]
        )

    def test_of_a_future_are_not_certified(self) -> None:
        cer = self.certificates()
        future: "concurrent.futures.Future[Iterator[int]]" = concurrent.futures.Future()
        made = cer.tool(lambda: future)()
        future.set_result(at for at in (1, 2))
        self.assertEqual(list(made.result()), [1, 2])
        self.assertEqual((cer.stats().unsealed, cer.stats().sealed), (1, 0))

    def test_that_are_left_out_by_choice_are_the_programs_own(self) -> None:
        with Certificates("tests", node_url=NODE_DOWN, in_memory=True, certify=lambda *_: False) as cer:
            made = count(2)
            self.assertIs(cer.tool(lambda: made)(), made)
            self.assertEqual(cer.stats().skipped, 1)


if __name__ == "__main__":
    unittest.main()
