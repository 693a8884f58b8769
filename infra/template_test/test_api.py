"""The REST API: its stage, its routes and how they reach the functions."""

import unittest

from cloudformation import Stack, partition_of, source

ROUTES = {
    ("/models", "get"): "ModelsFunction",
    ("/models/{id}", "get"): "ModelsFunction",
    ("/{proxy+}", "get"): "ModelsFunction",
    ("/chat/completions", "post"): "ChatCompletionsFunction",
    ("/{proxy+}", "post"): "ChatCompletionsFunction",
}


# another value than the default for every parameter
CHANGES = {
    "Models": "other=baseline:random",
    "ExternalBaseUrl": "https://api.example.org/v1",
    "ExternalApiKeySecretArn": "arn:aws:secretsmanager:us-east-1:123456789012:secret:key-AbCdEf",
    "ExternalCaPem": "-----BEGIN CERTIFICATE----- AAAA -----END CERTIFICATE-----",
    "RequestTimeoutSeconds": 300,
    "ToolChoice": "required",
    "MaxReasks": 0,
    "RequestsPerSecond": 10,
    "RequestBurst": 20,
    "ReservedConcurrency": 20,
    "AllowedSourceCidrs": "192.0.2.0/24",
    "Dashboard": "off",
    "TokenPrices": "1/5",
    "AlarmEmail": "lab@example.org",
    "DomainName": "llm.example.org",
    "CertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/abc",
    "HostedZoneId": "Z123",
    "LogLevel": "warn",
    "LogRetentionDays": 7,
    "AccessLogs": "on",
    "KmsKeyArn": "arn:aws:kms:us-east-1:123456789012:key/abc",
    "MemorySize": 512,
}
TOGETHER = {
    "DomainName": {"CertificateArn"},
    "CertificateArn": {"DomainName"},
    "HostedZoneId": {"DomainName", "CertificateArn"},
}


def changed(name):
    """Returns the stack with one parameter changed, and those that it cannot be without."""
    return Stack(**{n: CHANGES[n] for n in {name} | TOGETHER.get(name, set())})


def deployment(stack):
    """Returns the logical id of the one deployment."""
    (name,) = stack.of_type("AWS::ApiGateway::Deployment")
    return name


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
        for settings in stage["MethodSettings"]:
            self.assertEqual(settings["LoggingLevel"], "OFF")
            self.assertIs(settings["DataTraceEnabled"], False)
            self.assertIs(settings["MetricsEnabled"], False)

    def test_throttling_of_every_route(self):
        def limits(stack):
            (stage,) = stack.of_type("AWS::ApiGateway::Stage").values()
            return {
                (s["ResourcePath"], s["HttpMethod"]): (int(s["ThrottlingRateLimit"]), int(s["ThrottlingBurstLimit"]))
                for s in stage["MethodSettings"]
            }

        # 100 rooms of four agents that all start at once, and the busiest second of such a batch
        rate, burst = limits(self.stack)[("/*", "*")]
        self.assertGreaterEqual((rate, burst), (170, 400))
        self.assertGreaterEqual(burst, 400)
        own = limits(Stack(RequestsPerSecond=5, RequestBurst=8))
        self.assertEqual(own, {("/*", "*"): (5, 8), ("/~1models", "GET"): (20, 40)})

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

    def test_a_changed_parameter_reaches_the_running_stage(self):
        # SAM names the deployment after the definition. A parameter in the definition would leave the
        # stage as it was, unless SAM knows its value: then the deployment has another name.
        self.assertEqual(set(CHANGES), set(source()["Parameters"]))
        stacks = [self.stack] + [changed(name) for name in CHANGES if name != "AllowedSourceCidrs"]
        for stack in stacks[1:]:
            self.assertEqual(self.stack.api, stack.api)
        self.assertEqual(len({deployment(s) for s in stacks}), 1)
        ranges = ["", "192.0.2.0/24", "192.0.2.0/24,2001:db8::/32"]
        self.assertEqual(len({deployment(Stack(AllowedSourceCidrs=r)) for r in ranges}), len(ranges))

    def test_allowed_sources(self):
        everybody = {"Effect": "Allow", "Principal": "*", "Action": "execute-api:Invoke", "Resource": "execute-api:/*"}
        policy = "x-amazon-apigateway-policy"
        # stated also where nothing is forbidden, so that an update takes an earlier list away
        self.assertEqual(self.stack.api[policy], {"Version": "2012-10-17", "Statement": [everybody]})
        others = {"NotIpAddress": {"aws:SourceIp": ["192.0.2.0/24", "2001:db8::/32"]}}
        self.assertEqual(
            Stack(AllowedSourceCidrs="192.0.2.0/24,2001:db8::/32").api[policy]["Statement"],
            [everybody, everybody | {"Effect": "Deny", "Condition": others}],
        )

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
