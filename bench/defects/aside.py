"""The kinds of defect put aside."""

from bench.defects.plant import Kind

KINDS: tuple[Kind, ...] = ()
