"""A key of its own for each valid write, as a client would send it: by the document's example, repetitions would be answers."""

import uuid

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta.generation.mode.is_positive and "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = str(uuid.uuid4())
