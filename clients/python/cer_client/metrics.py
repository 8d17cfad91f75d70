"""The counts of a client as metrics of OpenTelemetry, the same as those of the JavaScript client.

The only module that imports opentelemetry, whose meter the program gives.
"""

from __future__ import annotations

from typing import Callable, Dict, Iterable, List, Mapping, NamedTuple, Tuple

from opentelemetry.metrics import CallbackOptions, Meter, Observation

from cer_client.stats import Stats

# Values, each with its attributes.
_Values = List[Tuple[float, Dict[str, str]]]


class _Metric(NamedTuple):
    """`kind` is `counter`, `up_down_counter` or `gauge`."""

    name: str
    kind: str
    description: str
    unit: str
    values: Callable[[Stats], _Values]


def _by(attribute: str, counts: Mapping[str, int]) -> _Values:
    return [(count, {attribute: name}) for name, count in counts.items()]


def _calls(stats: Stats) -> _Values:
    return _by("result", {name: getattr(stats, name) for name in ("sealed", "skipped", "unsealed", "dropped")})


def _answers(stats: Stats) -> _Values:
    return _by("result", {"attested": stats.attested, "registered": stats.projects, "refused": stats.dead})


_METRICS = (
    _Metric(
        "cer.client.calls",
        "counter",
        "Calls of models and tools that have ended, by whether they have a certificate",
        "{call}",
        _calls,
    ),
    _Metric(
        "cer.client.open_calls",
        "up_down_counter",
        "Calls that are under way",
        "{call}",
        lambda stats: [(stats.open, {})],
    ),
    _Metric(
        "cer.client.outcomes",
        "counter",
        "Calls that have a certificate, by how they ended",
        "{call}",
        lambda stats: _by("outcome", stats.outcomes),
    ),
    _Metric(
        "cer.client.answers",
        "counter",
        "Sealed bundles by the answer of the node",
        "{certificate}",
        _answers,
    ),
    _Metric(
        "cer.client.spool.waiting",
        "up_down_counter",
        "Sealed bundles that wait for a node",
        "{certificate}",
        lambda stats: [(stats.waiting, {})],
    ),
    _Metric(
        "cer.client.spool.size",
        "up_down_counter",
        "Size of the sealed bundles that wait for a node",
        "By",
        lambda stats: [(stats.waiting_bytes, {})],
    ),
    _Metric(
        "cer.client.spool.age",
        "gauge",
        "Time since the oldest bundle that waits was sealed; 0 when none waits",
        "s",
        lambda stats: [((stats.oldest_ms or 0) / 1000, {})],
    ),
    _Metric(
        "cer.client.errors",
        "counter",
        "Faults of the observer",
        "{error}",
        lambda stats: [(stats.errors, {})],
    ),
)


def meter_stats(meter: Meter, stats: Callable[[], Stats]) -> None:
    """Gives the counts to a meter each time it collects. Raises what the meter raises.

    Also after the client closed: the last counts are collected then.
    """
    create: Mapping[str, Callable[..., object]] = {
        "counter": meter.create_observable_counter,
        "up_down_counter": meter.create_observable_up_down_counter,
        "gauge": meter.create_observable_gauge,
    }
    for metric in _METRICS:
        read = _reader(metric, stats)
        create[metric.kind](metric.name, [read], unit=metric.unit, description=metric.description)


def _reader(metric: _Metric, stats: Callable[[], Stats]) -> Callable[[CallbackOptions], Iterable[Observation]]:
    return lambda _: [Observation(value, attributes) for value, attributes in metric.values(stats())]
