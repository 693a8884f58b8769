"""Decides whether an IAM policy allows a call, as far as the policies of the template need it."""

import re


def matches(pattern, value):
    """Tells whether an IAM pattern with * and ? matches the whole value."""
    expression = "".join({"*": ".*", "?": "."}.get(c, re.escape(c)) for c in pattern)
    return re.fullmatch(expression, value) is not None


def as_list(value):
    return value if isinstance(value, list) else [value]


def allows(statements, action, resource, context=None):
    """Tells whether a statement allows the action on the resource with the given condition keys."""
    return any(
        action in as_list(s["Action"])
        and any(matches(pattern, resource) for pattern in as_list(s["Resource"]))
        and condition_holds(s.get("Condition", {}), context or {})
        for s in statements
    )


def condition_holds(condition, context):
    tests = {"StringLike": matches, "StringEquals": lambda want, value: want == value}
    for operator, keys in condition.items():
        if operator not in tests:
            raise NotImplementedError(operator)
        for key, wanted in keys.items():
            if key not in context or not any(tests[operator](want, context[key]) for want in as_list(wanted)):
                return False
    return True
