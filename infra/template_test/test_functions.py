"""The two functions: how they are built, what they are told and where they log."""

import unittest

from cloudformation import Stack, source

FUNCTIONS = ("ModelsFunction", "ChatCompletionsFunction")
EXTERNAL_KEY = "arn:aws:secretsmanager:us-east-1:123456789012:secret:lab/openai-AbCdEf"


class FunctionsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = Stack()

    def properties(self, function):
        return self.stack.resources[function]["Properties"]

    def test_there_are_two(self):
        self.assertEqual(set(self.stack.of_type("AWS::Lambda::Function")), set(FUNCTIONS))

    def test_runtime(self):
        for function in FUNCTIONS:
            with self.subTest(function=function):
                properties = self.properties(function)
                self.assertEqual(properties["Runtime"], "provided.al2023")
                self.assertEqual(properties["Handler"], "bootstrap")
                self.assertEqual(properties["Architectures"], ["arm64"])

    def test_make_builds_them_from_the_module(self):
        template = source()
        self.assertEqual(template["Globals"]["Function"]["CodeUri"], ".")
        for function in FUNCTIONS:
            with self.subTest(function=function):
                self.assertEqual(template["Resources"][function]["Metadata"]["BuildMethod"], "makefile")

    def test_default_environment(self):
        for function in FUNCTIONS:
            with self.subTest(function=function):
                self.assertEqual(
                    self.stack.environment(function),
                    {
                        "MODELS": "nova-2-lite=bedrock:us.amazon.nova-2-lite-v1:0",
                        "API_KEY_SECRET": "ApiKeySecret",
                        "REQUEST_TIMEOUT_SECONDS": "60",
                        "TOOL_CHOICE": "auto",
                        "MAX_REASKS": "2",
                        "LOG_LEVEL": "info",
                        "METRICS_NAMESPACE": "HyperStudyEndpoint/study",
                        "SSL_CERT_DIR": "/nonexistent",
                        "GOGC": "400",
                        "GOMEMLIMIT": "64MiB",
                        "GOMAXPROCS": "1",
                    },
                )

    def test_the_default_model_follows_the_region(self):
        for region, geography in (
            ("us-east-1", "us"),
            ("us-west-2", "us"),
            ("eu-central-1", "eu"),
            ("eu-west-1", "eu"),
        ):
            with self.subTest(region=region):
                want = f"nova-2-lite=bedrock:{geography}.amazon.nova-2-lite-v1:0"
                stack = Stack(region)
                self.assertEqual(stack.failed_rules(), [])
                for function in FUNCTIONS:
                    self.assertEqual(stack.environment(function)["MODELS"], want)
                self.assertEqual(stack.outputs["ServedModels"], want)
                self.assertEqual(stack.outputs["ModelName"], "nova-2-lite")

    def test_every_setting_reaches_the_functions(self):
        stack = Stack(
            Models="gpt=external:gpt-4o-mini?max_tokens=400,random=baseline:random",
            ExternalBaseUrl="https://api.example.org/v1",
            ExternalApiKeySecretArn=EXTERNAL_KEY,
            ExternalCaPem="-----BEGIN CERTIFICATE----- AAAA -----END CERTIFICATE-----",
            RequestTimeoutSeconds=120,
            ToolChoice="required",
            MaxReasks=0,
            LogLevel="debug",
        )
        for function in FUNCTIONS:
            with self.subTest(function=function):
                self.assertEqual(
                    stack.environment(function),
                    {
                        "MODELS": "gpt=external:gpt-4o-mini?max_tokens=400,random=baseline:random",
                        "API_KEY_SECRET": "ApiKeySecret",
                        "EXTERNAL_BASE_URL": "https://api.example.org/v1",
                        "EXTERNAL_API_KEY_SECRET": EXTERNAL_KEY,
                        "EXTERNAL_CA_PEM": "-----BEGIN CERTIFICATE----- AAAA -----END CERTIFICATE-----",
                        "REQUEST_TIMEOUT_SECONDS": "120",
                        "TOOL_CHOICE": "required",
                        "MAX_REASKS": "0",
                        "LOG_LEVEL": "debug",
                        "METRICS_NAMESPACE": "HyperStudyEndpoint/study",
                        "SSL_CERT_DIR": "/nonexistent",
                        "GOGC": "400",
                        "GOMEMLIMIT": "64MiB",
                        "GOMAXPROCS": "1",
                    },
                )

    def test_no_secret_is_resolved_into_the_template(self):
        self.assertNotIn("{{resolve:", str(self.stack.transformed))

    def test_the_chat_function_may_run_as_long_as_hyperstudy_waits(self):
        longest = source()["Parameters"]["RequestTimeoutSeconds"]["MaxValue"]
        self.assertGreaterEqual(self.properties("ChatCompletionsFunction")["Timeout"], longest)

    def test_memory(self):
        self.assertEqual(self.properties("ModelsFunction")["MemorySize"], 128)
        self.assertEqual(self.properties("ChatCompletionsFunction")["MemorySize"], "256")
        self.assertEqual(Stack(MemorySize=512).resources["ChatCompletionsFunction"]["Properties"]["MemorySize"], "512")

    def test_concurrency_is_reserved_only_if_asked_for(self):
        reserved = "ReservedConcurrentExecutions"
        for function in FUNCTIONS:
            self.assertNotIn(reserved, self.properties(function))
        limited = Stack(ReservedConcurrency=20).resources
        self.assertEqual(limited["ChatCompletionsFunction"]["Properties"][reserved], "20")
        self.assertNotIn(reserved, limited["ModelsFunction"]["Properties"])

    def test_no_tracing_and_no_copies_of_events(self):
        for function in FUNCTIONS:
            with self.subTest(function=function):
                for name in ("TracingConfig", "DeadLetterConfig", "VpcConfig", "Layers"):
                    self.assertNotIn(name, self.properties(function))
        self.assertFalse(self.stack.of_type("AWS::Lambda::EventInvokeConfig"))

    def test_log_groups(self):
        stack = Stack(LogRetentionDays=7)
        groups = stack.of_type("AWS::Logs::LogGroup")
        names = {"/aws/lambda/study/models", "/aws/lambda/study/chat-completions"}
        self.assertEqual({g["LogGroupName"] for g in groups.values()}, names)
        for group in groups.values():
            self.assertEqual(group["RetentionInDays"], "7")
        used = {f["LoggingConfig"]["LogGroup"] for f in stack.of_type("AWS::Lambda::Function").values()}
        self.assertEqual(used, set(groups))


if __name__ == "__main__":
    unittest.main()
