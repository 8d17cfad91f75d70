"""The counts of a client as metrics, with the real package opentelemetry-sdk."""

from __future__ import annotations

import gc
import json
import re
import sys
import unittest
import weakref
from pathlib import Path
from typing import Any, Dict, List, Tuple, Union

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]

import httpx  # noqa: E402
from observed_program import NODE_DOWN, ObservedProgram  # noqa: E402
from opentelemetry.metrics import Meter, get_meter  # noqa: E402
from opentelemetry.sdk.metrics import MeterProvider  # noqa: E402
from opentelemetry.sdk.metrics.export import InMemoryMetricReader, Metric  # noqa: E402

from cer_client import Certificates  # noqa: E402
from cer_client.stats import OUTCOMES  # noqa: E402

METRICS_TS = Path(__file__).resolve().parents[4] / "packages" / "client" / "src" / "metrics.ts"
# Kinds of instruments in JavaScript, and their data in Python.
KINDS = {
    "createObservableCounter": "Sum True",
    "createObservableUpDownCounter": "Sum False",
    "createObservableGauge": "Gauge None",
}


class Metrics(ObservedProgram):
    def setUp(self) -> None:
        super().setUp()
        self.reader = InMemoryMetricReader()
        self.provider = MeterProvider([self.reader], shutdown_on_exit=False)
        self.addCleanup(self.provider.shutdown)
        self.meter = self.provider.get_meter("app")

    def metrics(self) -> List[Metric]:
        found = self.reader.get_metrics_data()
        assert found is not None
        return [one for resource in found.resource_metrics for scope in resource.scope_metrics for one in scope.metrics]

    def values(self) -> Dict[str, Union[int, float]]:
        """The value of each metric, by its name and the values of its attributes."""
        found: Dict[str, Union[int, float]] = {}
        for metric in self.metrics():
            for point in metric.data.data_points:
                value: Any = getattr(point, "value", None)
                found[" ".join([metric.name, *map(str, (point.attributes or {}).values())])] = value
        return found

    def call(self, cer: Certificates, model: str) -> None:
        with httpx.Client(transport=cer.transport()) as http:
            http.post(f"{self.server.url}/v1/chat/completions", json={"model": model})

    def test_are_those_of_stats_also_when_the_client_closed(self) -> None:
        cer = self.certificates(meter=self.meter, certify=lambda url, _: not url.startswith("tool:"))
        self.assertEqual(self.values()["cer.client.calls sealed"], 0)
        self.call(cer, "json")
        self.call(cer, "refused")
        cer.tool(len)("")
        before, values, after = cer.stats(), self.values(), cer.stats()
        self.assertGreater(after.waiting_bytes, 100)
        # The node that is away is a fault, at any time; bundles become older.
        self.assertTrue(before.errors <= values.pop("cer.client.errors") <= after.errors)
        self.assertTrue(0 < values.pop("cer.client.spool.age") <= (after.oldest_ms or 0) / 1000)
        expected = {
            "cer.client.calls sealed": 2,
            "cer.client.calls skipped": 1,
            "cer.client.calls unsealed": 0,
            "cer.client.calls dropped": 0,
            "cer.client.open_calls": 0,
            **{f"cer.client.outcomes {outcome}": int(outcome in ("complete", "failed")) for outcome in OUTCOMES},
            "cer.client.answers attested": 0,
            "cer.client.answers registered": 0,
            "cer.client.answers refused": 0,
            "cer.client.spool.waiting": 2,
            "cer.client.spool.size": after.waiting_bytes,
        }
        self.assertEqual(values, expected)
        cer.close(0)
        self.assertEqual(self.values()["cer.client.errors"], cer.stats().errors)
        self.no_faults()

    def test_counts_of_a_client_that_the_program_dropped(self) -> None:
        def made() -> "weakref.ref[Certificates]":
            cer = Certificates("tests", node_url=NODE_DOWN, in_memory=True, meter=self.meter)
            self.call(cer, "json")
            cer.close(0)
            return weakref.ref(cer)

        living = made()
        gc.collect()
        # A process that forks renews the locks of the clients that it has.
        self.assertIsNotNone(living())
        self.assertEqual(self.values()["cer.client.calls sealed"], 1)

    def test_names_are_those_of_javascript(self) -> None:
        """The kind, unit, description and attributes of each metric too."""
        self.certificates(meter=self.meter)
        found: Dict[str, Tuple[str, str, str, List[Dict[str, Any]]]] = {}
        for metric in self.metrics():
            data: Any = metric.data
            kind = f"{type(data).__name__} {getattr(data, 'is_monotonic', None)}"
            attributes = [dict(point.attributes or {}) for point in data.data_points]
            found[metric.name] = (kind, metric.description or "", metric.unit or "", attributes)
        self.assertEqual(found, of_javascript())

    def test_program_is_unaffected_by_a_meter_that_fails(self) -> None:
        class Broken:
            def __getattr__(self, name: str) -> Any:
                raise LookupError("metric values must be numbers")

        broken: Any = Broken()
        cer = self.certificates(meter=broken)
        self.assertEqual([str(fault) for fault in self.faults], ["metric values must be numbers"])
        self.assertEqual(cer.stats().errors, 1)
        self.call(cer, "json")
        self.assertEqual(cer.stats().sealed, 1)

    def test_meter_of_a_program_without_the_sdk(self) -> None:
        meter: Meter = get_meter("app")
        self.assertEqual(self.certificates(meter=meter).stats().errors, 0)


def of_javascript() -> Dict[str, Tuple[str, str, str, List[Dict[str, str]]]]:
    member = r"\s+(?:name|kind|description|unit): '([^']+)',"
    metrics: Dict[str, Tuple[str, str, str, List[Dict[str, str]]]] = {}
    for name, kind, description, unit, values in re.findall(rf"{member * 4}\s+values: (.*),\n", METRICS_TS.read_text()):
        listed = re.search(r"by\('(\w+)', (?:\{ (.*) \}|outcomes)\)", values)
        attributes: List[Dict[str, str]] = [{}]
        if listed is not None:
            names = OUTCOMES if listed[2] is None else [one.partition(":")[0] for one in listed[2].split(", ")]
            attributes = [{listed[1]: one} for one in names]
        metrics[name] = (KINDS[kind], description, unit, attributes)
    assert len(metrics) == 8, json.dumps(list(metrics))
    return metrics


if __name__ == "__main__":
    unittest.main()
