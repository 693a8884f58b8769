"""The sample events: what API Gateway hands to the functions for the routes of the template."""

import base64
import json
import pathlib
import re
import unittest

from cloudformation import Stack

EVENTS = pathlib.Path(__file__).resolve().parents[1] / "events"
MEMBERS = {
    "resource", "path", "httpMethod", "headers", "multiValueHeaders", "queryStringParameters",
    "multiValueQueryStringParameters", "pathParameters", "stageVariables", "requestContext", "body", "isBase64Encoded",
}  # fmt: skip


def body_of(event):
    """Returns the decoded JSON body of an event."""
    body = event["body"]
    return json.loads(base64.b64decode(body, validate=True) if event["isBase64Encoded"] else body)


class EventsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.events = {p.stem: json.loads(p.read_text(encoding="utf-8")) for p in EVENTS.glob("*.json")}
        cls.paths = Stack().api["paths"]

    def test_there_is_one_for_every_route(self):
        covered = {(e["resource"], e["httpMethod"].lower()) for e in self.events.values()}
        routes = {(path, method) for path, methods in self.paths.items() for method in methods}
        self.assertEqual(covered, routes)

    def test_form(self):
        for name, event in self.events.items():
            with self.subTest(event=name):
                context = event["requestContext"]
                self.assertEqual(set(event), MEMBERS)
                self.assertEqual(context["resourcePath"], event["resource"])
                self.assertEqual(context["httpMethod"], event["httpMethod"])
                self.assertEqual((context["stage"], context["path"]), ("v1", "/v1" + event["path"]))
                self.assertIs(type(context["requestTimeEpoch"]), int)
                self.assertEqual(event["multiValueHeaders"], {k: [v] for k, v in event["headers"].items()})
                self.assertRegex(event["headers"]["Authorization"], r"^Bearer sk-sample-")

    def test_path_parameters(self):
        for name, event in self.events.items():
            with self.subTest(event=name):
                pattern = re.escape(event["resource"]).replace(r"\{proxy\+\}", "(?P<proxy>.+)")
                pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", pattern)
                match = re.fullmatch(pattern, event["path"])
                self.assertIsNotNone(match)
                self.assertEqual(event["pathParameters"], match.groupdict() or None)

    def test_bodies(self):
        for name, event in self.events.items():
            with self.subTest(event=name):
                if event["httpMethod"] == "GET":
                    self.assertIsNone(event["body"])
                    continue
                request = body_of(event)
                self.assertEqual(request["model"], "default")
                self.assertTrue(request["messages"])


if __name__ == "__main__":
    unittest.main()
