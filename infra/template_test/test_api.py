"""The REST API: its stage, its routes and how they reach the functions."""

import unittest

from cloudformation import Stack, partition_of

ROUTES = {
    ("/models", "get"): "ModelsFunction",
    ("/models/{id}", "get"): "ModelsFunction",
    ("/{proxy+}", "get"): "ModelsFunction",
    ("/chat/completions", "post"): "ChatCompletionsFunction",
    ("/{proxy+}", "post"): "ChatCompletionsFunction",
}


class ApiTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = Stack()

    def integration(self, path, method):
        return self.stack.api["paths"][path][method]["x-amazon-apigateway-integration"]

    def test_one_regional_rest_api(self):
        (api,) = self.stack.of_type("AWS::ApiGateway::RestApi").values()
        self.assertIn("REGIONAL", str([api.get("EndpointConfiguration"), api.get("Parameters")]))
        self.assertFalse(self.stack.of_type("AWS::ApiGatewayV2::Api"))
        self.assertEqual(self.stack.api["openapi"], "3.0.1")

    def test_v1_is_the_only_stage(self):
        (stage,) = self.stack.of_type("AWS::ApiGateway::Stage").values()
        self.assertEqual(stage["StageName"], "v1")
        for deployment in self.stack.of_type("AWS::ApiGateway::Deployment").values():
            self.assertNotIn("StageName", deployment)

    def test_stage_settings(self):
        (stage,) = self.stack.of_type("AWS::ApiGateway::Stage").values()
        self.assertIs(stage["TracingEnabled"], False)
        self.assertNotIn("AccessLogSetting", stage)
        (settings,) = stage["MethodSettings"]
        self.assertEqual((settings["ResourcePath"], settings["HttpMethod"]), ("/*", "*"))
        self.assertEqual(settings["LoggingLevel"], "OFF")
        self.assertIs(settings["DataTraceEnabled"], False)
        # 100 rooms of four agents that all start at once, and the busiest second of such a batch
        self.assertGreaterEqual(settings["ThrottlingBurstLimit"], 400)
        self.assertGreaterEqual(settings["ThrottlingRateLimit"], 170)

    def test_routes(self):
        found = {
            (path, method)
            for path, methods in self.stack.api["paths"].items()
            for method in methods
            if method != "parameters"
        }
        self.assertEqual(found, set(ROUTES))

    def test_every_route_is_a_proxy_to_its_function(self):
        for (path, method), function in ROUTES.items():
            with self.subTest(path=path, method=method):
                integration = self.integration(path, method)
                self.assertEqual(integration["type"], "aws_proxy")
                self.assertEqual(integration["httpMethod"], "POST")
                self.assertIn(f"/functions/{function}.Arn/", integration["uri"])

    def test_chat_streams(self):
        for path in ("/chat/completions", "/{proxy+}"):
            with self.subTest(path=path):
                integration = self.integration(path, "post")
                self.assertEqual(integration["responseTransferMode"], "STREAM")
                self.assertEqual(
                    integration["uri"],
                    "arn:aws:apigateway:us-east-1:lambda:path/2021-11-15/functions/"
                    "ChatCompletionsFunction.Arn/response-streaming-invocations",
                )

    def test_models_is_buffered(self):
        for path in ("/models", "/models/{id}", "/{proxy+}"):
            with self.subTest(path=path):
                integration = self.integration(path, "get")
                self.assertNotIn("responseTransferMode", integration)
                self.assertEqual(
                    integration["uri"],
                    "arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/ModelsFunction.Arn/invocations",
                )

    def test_no_function_outlives_its_integration(self):
        for (path, method), function in ROUTES.items():
            with self.subTest(path=path, method=method):
                milliseconds = self.integration(path, method)["timeoutInMillis"]
                self.assertIs(type(milliseconds), int)  # a reference would arrive as a string
                limit = 900_000 if method == "post" else 29_000
                self.assertLessEqual(milliseconds, limit)
                seconds = self.stack.resources[function]["Properties"]["Timeout"]
                self.assertLessEqual(seconds * 1000, milliseconds)

    def test_the_body_is_never_changed_on_its_way(self):
        (api,) = self.stack.of_type("AWS::ApiGateway::RestApi").values()
        self.assertNotIn("BinaryMediaTypes", api)
        self.assertNotIn("x-amazon-apigateway-binary-media-types", self.stack.api)
        self.assertNotIn("MinimumCompressionSize", api)

    def test_only_the_api_may_invoke_the_functions(self):
        permissions = self.stack.of_type("AWS::Lambda::Permission")
        self.assertEqual(len(permissions), len(ROUTES))
        for name, permission in permissions.items():
            with self.subTest(permission=name):
                self.assertEqual(permission["Principal"], "apigateway.amazonaws.com")
                self.assertEqual(permission["Action"], "lambda:InvokeFunction")
                source = permission["SourceArn"]
                self.assertRegex(source, r"^arn:aws:execute-api:us-east-1:123456789012:Api/\*/(GET|POST)/")
        self.assertFalse(self.stack.of_type("AWS::Lambda::Url"))

    def test_no_parameter_is_part_of_the_definition(self):
        # SAM names the deployment after the definition: if a parameter were in it, changing the
        # parameter would leave the running stage as it was.
        changed = Stack(
            Models="other=baseline:random",
            ExternalBaseUrl="https://api.example.org/v1",
            RequestTimeoutSeconds=300,
            LogRetentionDays=7,
            ReservedConcurrency=20,
        )
        self.assertEqual(self.stack.api, changed.api)
        deployments = [set(s.of_type("AWS::ApiGateway::Deployment")) for s in (self.stack, changed)]
        self.assertEqual(*deployments)

    def test_other_partitions(self):
        for region in ("cn-north-1", "us-gov-west-1"):
            with self.subTest(region=region):
                partition = partition_of(region)
                stack = Stack(region, Models="random=baseline:random")
                uri = stack.api["paths"]["/chat/completions"]["post"]["x-amazon-apigateway-integration"]["uri"]
                self.assertTrue(uri.startswith(f"arn:{partition}:apigateway:{region}:"), uri)
                for permission in stack.of_type("AWS::Lambda::Permission").values():
                    self.assertTrue(permission["SourceArn"].startswith(f"arn:{partition}:"))


if __name__ == "__main__":
    unittest.main()
