"""Traces by OpenTelemetry, sent over OTLP to the endpoint that the standard variables name.

The ids of a trace are digests of the id of its work. So the process that works on a job, and the
one that delivers its webhook, find the trace without storing anything.

The model's endpoint and the receivers of webhooks are told nothing of a trace. Of callers, only a
link is taken: a caller who could choose the id of a trace could write into the traces of others.
"""

import atexit
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from hashlib import sha256
from threading import Lock, Thread, local

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import IdGenerator, RandomIdGenerator
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    StatusCode,
    TraceFlags,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.re import parse_env_headers

from app.core.errors import outcome
from app.ports import Attributes, P, R, Span, Tracer

_FLUSH_SECONDS = 1.0
_TRACE_BYTES, _SPAN_BYTES = 16, 8
_TO_OTHERS = frozenset({"model call", "deliver webhook"})
_STATUS = "http.response.status_code"


def exporting(collector: str, headers: str, ids: IdGenerator) -> TracerProvider:
    """Return a provider that sends spans to the URL of a collector, with headers in the form of
    OTEL_EXPORTER_OTLP_HEADERS; the other standard variables say how."""
    resource = Resource.create()
    if str(resource.attributes[SERVICE_NAME]).startswith("unknown_service"):
        resource = resource.merge(Resource({SERVICE_NAME: "copydesk"}))
    # It would wait for half a minute at the end of a process: ``flush`` waits for a second.
    provider = TracerProvider(resource=resource, id_generator=ids, shutdown_on_exit=False)
    exporter = OTLPSpanExporter(
        f"{collector.rstrip('/')}/v1/traces", headers=parse_env_headers(headers, liberal=True)
    )
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


class OtelTracer(Tracer):
    """Records spans. Safe to call from several threads; a fork sends its own.

    Args:
        provide: returns a provider that uses the ids.
    """

    def __init__(self, provide: Callable[[IdGenerator], TracerProvider]) -> None:
        self._provide = provide
        self._ids = _Ids()
        self._lock = Lock()
        self._provider: TracerProvider | None = None
        self._process = 0
        atexit.register(self.flush)

    @contextmanager
    def span(
        self,
        name: str,
        work_id: str = "",
        attributes: Attributes | None = None,
        *,
        requested: bool = True,
    ) -> Iterator[Span]:
        if not work_id and not trace.get_current_span().get_span_context().is_valid:
            yield Span()
            return
        provider = self._own_provider()
        trace_id, root_id = _ids_of(work_id)
        context = None
        if work_id:
            context = _below(provider, trace_id, root_id) if requested else Context()
        kind = SpanKind.CLIENT if name in _TO_OTHERS else SpanKind.INTERNAL
        with self._ids.chosen(trace_id):
            span = provider.get_tracer("copydesk").start_span(
                name, context, kind, dict(attributes or {})
            )
        # The text of an error can name addresses, or repeat what a customer wrote.
        with trace.use_span(
            span, end_on_exit=True, record_exception=False, set_status_on_exception=False
        ):
            try:
                yield _Recording(span)
            except BaseException as error:
                span.set_status(StatusCode.ERROR, outcome(error))
                raise

    def carried(self, work: Callable[P, R]) -> Callable[P, R]:
        span = trace.get_current_span()

        @wraps(work)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            with trace.use_span(span):
                return work(*args, **kwargs)

        return run

    def request(
        self, name: str, work_id: str, seconds: float, attributes: Attributes, traceparent: str
    ) -> None:
        ended = time.time_ns()
        tracer = self._own_provider().get_tracer("copydesk")
        with self._ids.chosen(*_ids_of(work_id)):
            span = tracer.start_span(
                name,
                Context(),
                SpanKind.SERVER,
                dict(attributes),
                links=_links(traceparent),
                start_time=ended - int(seconds * 1e9),
            )
        if int(attributes.get(_STATUS, 0)) >= 500:
            span.set_status(StatusCode.ERROR)
        span.end(ended)

    def flush(self) -> None:
        if self._provider is None or self._process != os.getpid():
            return
        # The provider takes a time limit, but does not keep it.
        thread = Thread(target=self._provider.force_flush, name="traces", daemon=True)
        thread.start()
        thread.join(_FLUSH_SECONDS)

    def _own_provider(self) -> TracerProvider:
        with self._lock:
            if self._provider is None or self._process != os.getpid():
                self._provider, self._process = self._provide(self._ids), os.getpid()
            return self._provider


class _Recording(Span):
    def __init__(self, span: trace.Span) -> None:
        self._span = span

    def set(self, attributes: Attributes) -> None:
        self._span.set_attributes(dict(attributes))


class _Ids(RandomIdGenerator):
    """Random ids, except for a span that begins in a block with chosen ones."""

    def __init__(self) -> None:
        self._chosen = local()

    @contextmanager
    def chosen(self, trace_id: int, span_id: int | None = None) -> Iterator[None]:
        """Let the thread's next span have these ids; a span with a parent has that one's trace."""
        self._chosen.trace, self._chosen.span = trace_id, span_id
        try:
            yield
        finally:
            self._chosen.trace = self._chosen.span = None

    def generate_trace_id(self) -> int:
        chosen: int | None = getattr(self._chosen, "trace", None)
        return super().generate_trace_id() if chosen is None else chosen

    def generate_span_id(self) -> int:
        chosen: int | None = getattr(self._chosen, "span", None)
        return super().generate_span_id() if chosen is None else chosen


def _ids_of(work_id: str) -> tuple[int, int]:
    """Return the ids of the trace of a work and of its first span."""
    digest = sha256(f"trace of {work_id}".encode()).digest()
    first, second = digest[:_TRACE_BYTES], digest[_TRACE_BYTES : _TRACE_BYTES + _SPAN_BYTES]
    return int.from_bytes(first), int.from_bytes(second)


def _below(provider: TracerProvider, trace_id: int, span_id: int) -> Context:
    """Return the context below the first span of a trace, which another process recorded if the
    sampler chose its trace. The sampler decides by the id, so it decides the same here."""
    decision = provider.sampler.should_sample(None, trace_id, "").decision
    is_sampled = decision is Decision.RECORD_AND_SAMPLE
    flags = TraceFlags.SAMPLED if is_sampled else TraceFlags.DEFAULT
    parent = SpanContext(trace_id, span_id, is_remote=True, trace_flags=TraceFlags(flags))
    return trace.set_span_in_context(NonRecordingSpan(parent), Context())


def _links(traceparent: str) -> list[Link]:
    carrier = {"traceparent": traceparent}
    context = TraceContextTextMapPropagator().extract(carrier, Context())
    found = trace.get_current_span(context).get_span_context()
    return [Link(found)] if found.is_valid else []
