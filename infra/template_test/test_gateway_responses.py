"""API Gateway's own errors: each of them must be one that an OpenAI client can decode."""

import json
import unittest

from cloudformation import Stack

# kind: status (None keeps API Gateway's), type, code
EXPECTED = {
    "DEFAULT_4XX": (None, "invalid_request_error", None),
    "DEFAULT_5XX": (None, "server_error", "internal_error"),
    "MISSING_AUTHENTICATION_TOKEN": (404, "invalid_request_error", "unknown_url"),
    "INVALID_SIGNATURE": (404, "invalid_request_error", "unknown_url"),
    "RESOURCE_NOT_FOUND": (404, "invalid_request_error", "unknown_url"),
    "ACCESS_DENIED": (404, "invalid_request_error", "source_not_allowed"),
    "BAD_REQUEST_BODY": (400, "invalid_request_error", "invalid_json"),
    "BAD_REQUEST_PARAMETERS": (400, "invalid_request_error", "invalid_json"),
    "UNSUPPORTED_MEDIA_TYPE": (415, "invalid_request_error", "invalid_json"),
    "REQUEST_TOO_LARGE": (413, "invalid_request_error", "request_too_large"),
    "THROTTLED": (429, "rate_limit_error", "rate_limit_exceeded"),
    "QUOTA_EXCEEDED": (429, "rate_limit_error", "rate_limit_exceeded"),
    "INTEGRATION_TIMEOUT": (504, "server_error", "timeout"),
    "INTEGRATION_FAILURE": (502, "server_error", "internal_error"),
    "API_CONFIGURATION_ERROR": (502, "server_error", "internal_error"),
}


class GatewayResponsesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.responses = Stack().api["x-amazon-apigateway-gateway-responses"]

    def error(self, kind, message=r"said \"no\""):
        """Returns the error of a kind as API Gateway renders it."""
        (template,) = self.responses[kind]["responseTemplates"].values()
        body = json.loads(template.replace("$context.error.messageString", f'"{message}"'))
        self.assertEqual(list(body), ["error"])
        return body["error"]

    def test_kinds(self):
        self.assertEqual(set(self.responses), set(EXPECTED))

    def test_form(self):
        for kind, (status, error_type, code) in EXPECTED.items():
            with self.subTest(kind=kind):
                response = self.responses[kind]
                self.assertEqual(response.get("statusCode"), status and str(status))
                self.assertEqual(list(response["responseTemplates"]), ["application/json"])
                error = self.error(kind)
                self.assertEqual(set(error), {"message", "type", "param", "code"})
                self.assertEqual((error["type"], error["param"], error["code"]), (error_type, None, code))

    def test_messages_need_no_variable_but_in_the_default(self):
        for kind in EXPECTED:
            with self.subTest(kind=kind):
                if kind == "DEFAULT_4XX":
                    self.assertEqual(self.error(kind)["message"], 'said "no"')
                else:
                    self.assertNotIn("$", str(self.responses[kind]["responseTemplates"]))
                    self.assertRegex(self.error(kind)["message"], r"^[A-Z].{40,}\.$")

    def test_no_error_of_the_gateway_blames_the_key(self):
        # HyperStudy reads 401 and 403 as a refused key
        for kind, response in self.responses.items():
            with self.subTest(kind=kind):
                self.assertNotIn(response.get("statusCode"), ("401", "403"))

    def test_an_unknown_url_names_both_routes(self):
        message = self.error("MISSING_AUTHENTICATION_TOKEN")["message"]
        self.assertIn("GET /v1/models", message)
        self.assertIn("POST /v1/chat/completions", message)

    def test_throttling_says_when_to_come_back(self):
        for kind in ("THROTTLED", "QUOTA_EXCEEDED"):
            with self.subTest(kind=kind):
                headers = self.responses[kind]["responseParameters"]
                self.assertEqual(headers, {"gatewayresponse.header.Retry-After": "'1'"})


if __name__ == "__main__":
    unittest.main()
