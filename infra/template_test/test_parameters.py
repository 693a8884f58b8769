"""The parameters: what they accept, what they refuse, and how the console groups them."""

import re
import unittest

from cloudformation import Stack, source

MODELS = {
    "accepted": [
        "nova-2-lite=bedrock:us.amazon.nova-2-lite-v1:0",
        "a=baseline:random",
        "gpt=external:gpt-4o-mini,b/c:d=external:@cf/meta/llama-3.1-8b",
        "a=bedrock:arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2?family=claude",
        "a=bedrock:eu.amazon.nova-pro-v1:0?guardrail=abc:1&fallback=b,b=baseline:random",
        ",".join(f"m{i}=baseline:random" for i in range(6)),
    ],
    "refused": [
        "",
        ",",
        "us.amazon.nova-2-lite-v1:0",
        "a=openai:gpt-4o",
        "a=bedrock:",
        "=bedrock:x",
        "a=bedrock:*",
        "a=bedrock:us.*",
        "a=bedrock:${aws:username}",
        "a=baseline:random, b=baseline:random",
        "a=baseline:random,",
        ",a=baseline:random",
        "a=baseline:randomb=baseline:random",
        "a=bedrock:x?guardrail=arn:aws:bedrock:us-east-1:123456789012:guardrail/abc:1",
        "a=bedrock:x?",
        ",".join(f"m{i}=baseline:random" for i in range(7)),
    ],
}
EXTERNAL_BASE_URL = {
    "accepted": ["", "https://api.openai.com/v1", "https://llm.example.org:8443/api/v1/"],
    "refused": [
        "http://api.example.org/v1",
        "api.openai.com/v1",
        "https://",
        "https://me:key@example.org/v1",
        "https://example.org/v1?x=1",
    ],
}
EXTERNAL_API_KEY = {
    "accepted": [
        "",
        "arn:aws:secretsmanager:eu-central-1:123456789012:secret:lab/openai-AbCdEf",
        "arn:aws-cn:secretsmanager:cn-north-1:123456789012:secret:key-AbCdEf",
        "arn:aws-us-gov:secretsmanager:us-gov-west-1:123456789012:secret:key-AbCdEf",
    ],
    "refused": [
        "sk-1234567890",
        "openai",
        "arn:aws:secretsmanager:eu-central-1:123456789012:secret:openai",
        "arn:aws:secretsmanager:*:123456789012:secret:openai-AbCdEf",
    ],
}


class ParametersTest(unittest.TestCase):
    def setUp(self):
        self.parameters = source()["Parameters"]

    def test_each_has_a_description_a_default_and_limits(self):
        for name, parameter in self.parameters.items():
            with self.subTest(parameter=name):
                self.assertRegex(parameter["Description"], r"^\S.{20,}\.$")
                self.assertIn("Default", parameter)
                kinds = ({"AllowedPattern"}, {"AllowedValues"}, {"MinValue", "MaxValue"})
                self.assertTrue(any(kind <= set(parameter) for kind in kinds))
                if "AllowedPattern" in parameter:
                    self.assertIn("ConstraintDescription", parameter)

    def test_patterns(self):
        for name, values in (
            ("Models", MODELS),
            ("ExternalBaseUrl", EXTERNAL_BASE_URL),
            ("ExternalApiKeySecretArn", EXTERNAL_API_KEY),
        ):
            pattern = re.compile(self.parameters[name]["AllowedPattern"])
            for value in values["accepted"] + [self.parameters[name]["Default"]]:
                with self.subTest(parameter=name, accepted=value):
                    self.assertTrue(pattern.fullmatch(value))
            for value in values["refused"]:
                with self.subTest(parameter=name, refused=value):
                    self.assertFalse(pattern.fullmatch(value))

    def test_limits(self):
        for name, low, default, high in (
            ("RequestTimeoutSeconds", 10, 60, 300),
            ("MaxReasks", 0, 2, 5),
            ("MemorySize", 128, 256, 3008),
            ("ReservedConcurrency", 0, 0, 1000),
        ):
            with self.subTest(parameter=name):
                p = self.parameters[name]
                self.assertEqual((p["MinValue"], p["Default"], p["MaxValue"]), (low, default, high))
        self.assertEqual(self.parameters["ToolChoice"]["AllowedValues"], ["auto", "required"])
        self.assertEqual(self.parameters["LogLevel"]["AllowedValues"], ["debug", "info", "warn", "error"])

    def test_no_parameter_holds_a_key(self):
        for name, parameter in self.parameters.items():
            self.assertNotIn("NoEcho", parameter, name)

    def test_the_console_shows_each_in_one_group(self):
        groups = source()["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"]
        grouped = [name for group in groups for name in group["Parameters"]]
        self.assertEqual(sorted(grouped), sorted(self.parameters))

    def test_the_default_model_is_refused_where_it_does_not_exist(self):
        self.assertEqual(Stack("us-east-1").failed_rules(), [])
        self.assertEqual(Stack("us-west-2").failed_rules(), [])
        (message,) = Stack("eu-central-1").failed_rules()
        self.assertIn("nova-2-lite=bedrock:eu.amazon.nova-2-lite-v1:0", message)
        self.assertEqual(Stack("eu-central-1", Models="a=bedrock:eu.amazon.nova-2-lite-v1:0").failed_rules(), [])

    def test_that_rule_knows_the_default(self):
        rule = source()["Rules"]["DefaultModelNeedsUsRegion"]
        self.assertEqual(rule["RuleCondition"]["Fn::Equals"][1], self.parameters["Models"]["Default"])


if __name__ == "__main__":
    unittest.main()
