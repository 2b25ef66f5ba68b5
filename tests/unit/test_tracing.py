"""Traces by OpenTelemetry, as an exporter in memory gets them."""

import sys
from collections.abc import Callable

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import ParentBasedTraceIdRatio, Sampler
from opentelemetry.trace import StatusCode

from app import container
from app.adapters.observed_model import ObservedModel
from app.adapters.otel_tracer import OtelTracer
from app.container import NoModel, pick_tracer
from app.core.errors import GenerationCancelled, ModelUnavailable
from app.deadline import Deadline
from app.ports import Metrics, Tracer
from app.settings import Settings
from app.writing.completion import Completion, Prompt
from tests.support.endpoints import model_at
from tests.support.webhook_receiver import Receiver

PROMPT = Prompt("You write.", "Write about velvet.", purpose="plan")
ASKED = {"http.response.status_code": 202}


class Recorded:
    """What tracers of several processes would send to one collector."""

    def __init__(self, sampler: Sampler | None = None) -> None:
        self._exporter = InMemorySpanExporter()
        self._sampler = sampler

    def tracer(self) -> OtelTracer:
        def provide(ids: IdGenerator) -> TracerProvider:
            provider = TracerProvider(self._sampler, shutdown_on_exit=False, id_generator=ids)
            provider.add_span_processor(SimpleSpanProcessor(self._exporter))
            return provider

        return OtelTracer(provide)

    def spans(self) -> dict[str, ReadableSpan]:
        return {span.name: span for span in self._exporter.get_finished_spans()}


def ids(span: ReadableSpan) -> tuple[int, int, int]:
    """The ids of a span's trace, of itself and of its parent, 0 if it has none."""
    context = span.get_span_context()
    assert context is not None
    return context.trace_id, context.span_id, span.parent.span_id if span.parent else 0


def test_processes_that_know_the_work_record_one_trace() -> None:
    recorded = Recorded()
    # The worker may begin before the request has ended.
    with recorded.tracer().span("generate", "job_1"):
        pass
    recorded.tracer().request("POST /v1/jobs", "job_1", 0.5, ASKED, "")
    with recorded.tracer().span("deliver webhook", "job_1"):
        pass
    with recorded.tracer().span("other", "job_2"):
        pass
    spans = recorded.spans()
    trace, root, above = ids(spans["POST /v1/jobs"])
    assert above == 0
    assert ids(spans["generate"])[::2] == ids(spans["deliver webhook"])[::2] == (trace, root)
    assert ids(spans["other"])[0] != trace
    request = spans["POST /v1/jobs"]
    assert (request.end_time or 0) - (request.start_time or 0) == 500_000_000


def test_attempts_of_a_run_are_one_trace_without_a_request() -> None:
    recorded = Recorded()
    for name in ("first", "second"):
        with recorded.tracer().span(name, "run_1", requested=False):
            pass
    (trace, one, above), (other, two, nothing) = map(ids, recorded.spans().values())
    assert (trace, above, nothing) == (other, 0, 0)
    assert one != two


def test_a_span_outside_of_work_is_not_recorded() -> None:
    recorded = Recorded()
    with recorded.tracer().span("model call") as span:
        span.set({"a": 1})
    assert recorded.spans() == {}


def test_an_error_shows_as_its_code_and_never_as_its_text() -> None:
    recorded = Recorded()
    tracer = recorded.tracer()
    for name, error in (
        ("known", ModelUnavailable("velvet", operator="velvet")),
        ("stopped", GenerationCancelled("velvet")),
        ("unknown", ValueError("velvet")),
    ):
        with pytest.raises(type(error)), tracer.span(name, "job_1"):
            raise error
    spans = recorded.spans()
    told = {name: span.status.description for name, span in spans.items()}
    assert told == {
        "known": "SERVICE_UNAVAILABLE", "stopped": "CANCELLED", "unknown": "INTERNAL_ERROR",
    }  # fmt: skip
    assert {span.status.status_code for span in spans.values()} == {StatusCode.ERROR}
    assert not any(span.events for span in spans.values())
    assert "velvet" not in "".join(span.to_json() for span in spans.values())


@pytest.mark.parametrize(
    "given",
    ["", "velvet", "00-0-0-01", f"00-{'0' * 32}-{'b' * 16}-01", f"ff-{'a' * 32}-{'b' * 16}-01",
     f"00-{'a' * 32}-{'b' * 16}-01{'x' * 9000}"],
)  # fmt: skip
def test_what_is_no_traceparent_is_ignored(given: str) -> None:
    recorded = Recorded()
    recorded.tracer().request("POST /v1/jobs", "job_1", 0.5, ASKED, given)
    assert list(recorded.spans()["POST /v1/jobs"].links) == []


def test_all_processes_choose_the_same_share_of_traces() -> None:
    recorded = Recorded(ParentBasedTraceIdRatio(0.5))
    jobs = [f"job_{number}" for number in range(200)]
    for job in jobs:
        recorded.tracer().request(f"request {job}", job, 0.1, ASKED, "")
        with recorded.tracer().span(f"generate {job}", job):
            pass
    names = set(recorded.spans())
    chosen = {job for job in jobs if f"request {job}" in names}
    assert 50 < len(chosen) < 150
    assert {job for job in jobs if f"generate {job}" in names} == chosen


class Scripted(NoModel):
    name = "small"

    def __init__(self, answer: Callable[[], Completion]) -> None:
        self._answer = answer

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        return self._answer()


class Counted(Metrics):
    def __init__(self) -> None:
        self.calls: list[tuple[str, str, str, tuple[int, int]]] = []

    def model_call(
        self, model: str, purpose: str, outcome: str, seconds: float, tokens: tuple[int, int]
    ) -> None:
        self.calls.append((model, purpose, outcome, tokens))


def fails(error: Exception) -> Callable[[], Completion]:
    def answer() -> Completion:
        raise error

    return answer


def test_a_call_to_the_model_shows_tokens_and_no_text() -> None:
    recorded, counted = Recorded(), Counted()
    tracer = recorded.tracer()
    answer = Completion("A velvet answer.", prompt_tokens=30, completion_tokens=4)
    with tracer.span("generate", "job_1"):
        ObservedModel(counted, tracer, Scripted(lambda: answer)).complete(PROMPT, Deadline(5))
    spans = recorded.spans()
    assert dict(spans["model call"].attributes or {}) == {
        "gen_ai.request.model": "small",
        "copydesk.purpose": "plan",
        "gen_ai.usage.input_tokens": 30,
        "gen_ai.usage.output_tokens": 4,
    }
    assert ids(spans["model call"])[2] == ids(spans["generate"])[1]
    assert counted.calls == [("small", "plan", "ANSWERED", (30, 4))]


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (lambda: Completion("", refusal="No."), "REFUSED"),
        (fails(ModelUnavailable()), "SERVICE_UNAVAILABLE"),
        (fails(GenerationCancelled()), "CANCELLED"),
    ],
)
def test_each_call_is_counted_by_how_it_ended(
    answer: Callable[[], Completion], outcome: str
) -> None:
    counted = Counted()
    model = ObservedModel(counted, Tracer(), Scripted(answer))
    try:
        model.complete(PROMPT, Deadline(5))
    except ModelUnavailable:
        assert outcome != "REFUSED"
    assert counted.calls == [("small", "plan", outcome, (0, 0))]


def test_the_models_endpoint_is_told_nothing_of_traces() -> None:
    tracer = Recorded().tracer()
    with Receiver() as endpoint, tracer.span("generate", "job_1"):
        base = endpoint.url("/v1")
        model = model_at(base, "key", "small", timeout_seconds=5)
        with pytest.raises(ModelUnavailable):
            ObservedModel(Metrics(), tracer, model).complete(PROMPT, Deadline(5))
        names = {name for one in endpoint.received("/v1/chat/completions") for name in one.headers}
    assert "authorization" in names
    assert names & {"traceparent", "tracestate", "baggage", "b3"} == set()


def test_traces_are_off_unless_an_endpoint_is_set() -> None:
    assert type(pick_tracer(Settings.from_env({}))) is Tracer
    settings = Settings.from_env({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"})
    assert isinstance(pick_tracer(settings), OtelTracer)


def test_a_missing_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "app.adapters.otel_tracer", None)
    settings = Settings.from_env({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"})
    assert type(pick_tracer(settings)) is Tracer
    assert caplog.messages == [container.NO_OTEL]


def test_headers_for_the_collector_are_secrets() -> None:
    headers = "authorization=Bearer%20hunter2,x-team=velvet"
    settings = Settings.from_env({"OTEL_EXPORTER_OTLP_HEADERS": headers})
    assert "Bearer%20hunter2" in settings.secrets
    assert "hunter2" not in repr(settings)
