"""Dashboard and alarms: they look at what the functions write, which internal/telemetry has written down."""

import json
import pathlib
import re
import unittest

from cloudformation import Stack

LINES = pathlib.Path(__file__).resolve().parents[2] / "internal" / "telemetry" / "testdata" / "lines.json"
NAMESPACE = "HyperStudyEndpoint/study"
ALARMED = {"Models": "fast=bedrock:us.amazon.nova-2-lite-v1:0,gpt=external:gpt-5-mini", "AlarmEmail": "lab@example.org"}
# what AWS publishes by itself, free of charge
AWS_METRICS = {
    ("AWS/ApiGateway", "Count", "ApiName"),
    ("AWS/Lambda", "ConcurrentExecutions", "FunctionName"),
    ("AWS/Lambda", "Duration", "FunctionName"),
    ("AWS/Lambda", "Errors", "FunctionName"),
    ("AWS/Lambda", "Invocations", "FunctionName"),
    ("AWS/Lambda", "Throttles", "FunctionName"),
}


def written():
    """Returns the metrics that log lines carry, as (name, dimension or None), and all fields of lines."""
    lines = json.loads(LINES.read_text(encoding="utf-8"))
    metrics = {
        (metric["Name"], *(dimensions or [None]))
        for line in lines.values()
        for directive in line.get("_aws", {}).get("CloudWatchMetrics", [])
        for dimensions in directive["Dimensions"]
        for metric in directive["Metrics"]
    }
    return metrics, set().union(*lines.values())


class Nothing:
    """A metric without values: what is computed of it has none either, and SUM passes over it."""

    def __mul__(self, _):
        return self

    __rmul__ = __truediv__ = __mul__


def evaluate(expression, values):
    """Returns the value of a metric math expression, as far as the template uses it."""
    functions = {
        "IF": lambda condition, yes, no: yes if condition else no,
        "SUM": lambda series: sum(value for value in series if not isinstance(value, Nothing)),
    }
    return eval(expression, {"__builtins__": {}}, functions | values)


class DashboardTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = Stack(**ALARMED, TokenPrices="0.25/1.5,2/8", MemorySize=512)
        (dashboard,) = cls.stack.of_type("AWS::CloudWatch::Dashboard").values()
        cls.name = dashboard["DashboardName"]
        cls.body = json.loads(dashboard["DashboardBody"])
        cls.widgets = cls.body["widgets"]

    def of_kind(self, kind):
        return [w["properties"] for w in self.widgets if w["type"] == kind]

    def titled(self, word):
        (widget,) = [w for w in self.of_kind("metric") + self.of_kind("log") if word in w["title"]]
        return widget

    def test_name(self):
        self.assertEqual(self.name, "study-us-east-1")
        self.assertEqual(
            Stack("eu-central-1").resources["MonitoringDashboard"]["Properties"]["DashboardName"], "study-eu-central-1"
        )

    def test_widgets_do_not_overlap(self):
        taken = set()
        for w in self.widgets:
            cells = {(x, y) for x in range(w["x"], w["x"] + w["width"]) for y in range(w["y"], w["y"] + w["height"])}
            self.assertFalse(cells & taken)
            self.assertLessEqual(w["x"] + w["width"], 24)
            taken |= cells

    def test_metrics_exist(self):
        metrics, _ = written()
        seen = set()
        for widget in self.of_kind("metric"):
            self.assertEqual(widget["region"], "us-east-1")
            for row in widget["metrics"]:
                short = [part for part in row if part in (".", "...")]
                self.assertFalse(short, "these tests read no short forms")
                if isinstance(row[0], dict):
                    for dimension, name in re.findall(
                        r'SEARCH\(\'\{"[^"]+",(\w+)\} MetricName="(\w+)"', row[0]["expression"]
                    ):
                        seen.add((name, dimension))
                    continue
                namespace, name, *rest = [part for part in row if isinstance(part, str)]
                dimension = rest[0] if rest else None
                if namespace == NAMESPACE:
                    seen.add((name, dimension))
                else:
                    self.assertIn((namespace, name, dimension), AWS_METRICS)
        self.assertEqual(seen, metrics)  # and no metric is paid for that nobody looks at

    def test_queries_read_fields_that_exist(self):
        _, fields = written()
        known = fields | {"count", "sum", "ispresent", "SOURCE", "filter", "stats", "sort", "desc", "as", "by", "and"}
        for widget in self.of_kind("log"):
            query = widget["query"]
            self.assertTrue(query.startswith("SOURCE 'ChatCompletionsLogGroup' | filter msg = 'request' and "))
            without_texts = re.sub(r"'[^']*'", "", query)
            named = set(re.findall(r"\bas (\w+)", query))
            words = {word for word in re.findall(r"[A-Za-z_]\w*", without_texts)}
            self.assertEqual(words - known - named, set())

    def test_expressions_use_ids_that_exist(self):
        for widget in self.of_kind("metric"):
            options = [part for row in widget["metrics"] for part in row if isinstance(part, dict)]
            ids = [o["id"] for o in options if "id" in o]
            self.assertEqual(len(ids), len(set(ids)))
            for option in options:
                expression = re.sub(r"'[^']*'", "", option.get("expression", ""))
                self.assertLessEqual(set(re.findall(r"[A-Za-z_]\w*", expression)), set(ids) | {"SUM", "SEARCH"})

    def test_the_latency_is_shown_against_the_limit_in_the_same_unit(self):
        dashboard = Stack(RequestTimeoutSeconds=120).resources["MonitoringDashboard"]["Properties"]["DashboardBody"]
        self.assertIn('{"label": "RequestTimeoutSeconds", "value": 120000}', dashboard)

    def cost(self, stack, counts):
        """Returns (tokens, aws) in USD for the given sums by id."""
        (dashboard,) = stack.of_type("AWS::CloudWatch::Dashboard").values()
        (widget,) = [
            w["properties"]
            for w in json.loads(dashboard["DashboardBody"])["widgets"]
            if "Cost" in w["properties"].get("title", "")
        ]
        self.assertIs(widget["setPeriodToTimeRange"], True)
        self.assertEqual(widget["stat"], "Sum")
        expressions = {row[0]["id"]: row[0]["expression"] for row in widget["metrics"] if isinstance(row[0], dict)}
        sums = {
            row[-1]["id"]: counts.get(row[-1]["id"], Nothing()) for row in widget["metrics"] if isinstance(row[0], str)
        }
        return tuple(evaluate(expressions[name], sums) for name in ("tokens", "aws"))

    def test_cost(self):
        tokens, aws = self.cost(
            self.stack,
            {
                "i1": 2_000_000,
                "o1": 100_000,
                "i2": 500_000,
                "o2": 10_000,
                "ms": 5_000_000,
                "calls": 1000,
                "requests": 1100,
            },
        )
        self.assertAlmostEqual(tokens, 2 * 0.25 + 0.1 * 1.5 + 0.5 * 2 + 0.01 * 8)
        self.assertAlmostEqual(aws, 5000 * 0.5 * 0.0000133334 + 1000 * 0.0000002 + 1100 * 0.0000035)
        self.assertEqual(self.cost(Stack(), {"i1": 2_000_000}), (0, 0))

    def test_the_cost_has_a_slot_for_each_model(self):
        stack = Stack(Models=",".join(f"m{i}=baseline:random" for i in range(1, 7)))
        (dashboard,) = stack.of_type("AWS::CloudWatch::Dashboard").values()
        for i in range(1, 7):
            for name, slot in (("prompt_tokens", f"i{i}"), ("completion_tokens", f"o{i}")):
                self.assertIn(
                    f'["{NAMESPACE}", "{name}", "model", "m{i}", {{"id": "{slot}", "visible": false}}]',
                    dashboard["DashboardBody"],
                )

    def test_off(self):
        stack = Stack(Dashboard="off")
        self.assertFalse(stack.of_type("AWS::CloudWatch::Dashboard"))
        self.assertNotIn("DashboardPage", stack.outputs)


class AlarmsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = Stack(**ALARMED)
        cls.alarms = cls.stack.of_type("AWS::CloudWatch::Alarm")

    def test_none_without_an_address(self):
        stack = Stack()
        self.assertFalse(stack.of_type("AWS::CloudWatch::Alarm"))
        self.assertFalse(stack.of_type("AWS::SNS::Topic"))

    def test_they_write_to_the_address(self):
        (topic,) = self.stack.of_type("AWS::SNS::Topic").values()
        self.assertEqual(topic["Subscription"], [{"Protocol": "email", "Endpoint": "lab@example.org"}])
        for name, alarm in self.alarms.items():
            with self.subTest(alarm=name):
                self.assertEqual(alarm["AlarmActions"], ["AlarmTopic"])
                self.assertRegex(alarm["AlarmName"], "^study-[a-z-]+$")
                self.assertRegex(alarm["AlarmDescription"], r"^[A-Z].{60,}\.$")
                self.assertEqual(alarm["TreatMissingData"], "notBreaching")  # no study, no requests

    def watched(self, alarm):
        """Yields the namespace, name, dimension and statistic of an alarm's metrics."""
        if "MetricName" in alarm:
            yield alarm["Namespace"], alarm["MetricName"], None, alarm["Statistic"]
        for entry in alarm.get("Metrics", []):
            if stat := entry.get("MetricStat"):
                metric = stat["Metric"]
                names = [d["Name"] for d in metric.get("Dimensions", [])]
                yield metric["Namespace"], metric["MetricName"], *(names or [None]), stat["Stat"]

    def test_metrics_exist(self):
        metrics, _ = written()
        seen = {}
        for name, alarm in self.alarms.items():
            for namespace, metric, dimension, statistic in self.watched(alarm):
                seen.setdefault(name, set()).add((metric, statistic))
                if namespace == NAMESPACE:
                    self.assertIn((metric, dimension), metrics)
                else:
                    self.assertIn((namespace, metric, dimension), AWS_METRICS)
        self.assertEqual(
            seen,
            {
                "FailedRequestsAlarm": {("failed", "Sum")},
                "RefusedKeysAlarm": {("refused_keys", "Sum")},
                "FunctionErrorsAlarm": {("Errors", "Sum")},
                "ThrottlingAlarm": {("throttled", "Sum"), ("Throttles", "Sum")},
                "SlowAnswersAlarm": {("latency_ms", "p95"), ("latency_ms", "SampleCount")},
            },
        )

    def test_one_result_each(self):
        for name, alarm in self.alarms.items():
            with self.subTest(alarm=name):
                entries = alarm.get("Metrics")
                if not entries:
                    continue
                ids = {e["Id"] for e in entries}
                (result,) = [e for e in entries if e.get("ReturnData", True)]
                words = set(re.findall(r"[a-z]+", result["Expression"]))
                self.assertEqual(words, ids - {result["Id"]})

    def slow(self, limit, requests, p95):
        """Tells whether the alarm of slow answers goes off."""
        alarm = Stack(**ALARMED, RequestTimeoutSeconds=limit).resources["SlowAnswersAlarm"]["Properties"]
        (expression,) = [e["Expression"] for e in alarm["Metrics"] if "Expression" in e]
        return evaluate(expression, {"requests": requests, "latency": p95}) > alarm["Threshold"]

    def test_either_kind_of_loss_is_enough(self):
        for name, ids in (("ThrottlingAlarm", ("model", "lambda")), ("FunctionErrorsAlarm", ("chat", "models"))):
            alarm = self.alarms[name]
            (expression,) = [e["Expression"] for e in alarm["Metrics"] if "Expression" in e]
            for first, second, want in (
                (1, Nothing(), True),
                (Nothing(), 1, True),
                (0, Nothing(), False),
                (0, 0, False),
            ):
                with self.subTest(alarm=name, values=(first, second)):
                    # lambda is a word of Python's
                    values = {"first": first, "second": second}
                    named = re.sub(rf"\b{ids[0]}\b", "first", re.sub(rf"\b{ids[1]}\b", "second", expression))
                    self.assertIs(evaluate(named, values) >= alarm["Threshold"], want)

    def test_slow_is_meant_by_the_time_limit(self):
        self.assertTrue(self.slow(60, 10, 48_100))
        self.assertFalse(self.slow(60, 10, 48_000))
        self.assertFalse(self.slow(60, 9, 59_000))
        self.assertTrue(self.slow(300, 100, 241_000))


if __name__ == "__main__":
    unittest.main()
