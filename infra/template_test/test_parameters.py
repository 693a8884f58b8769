"""The parameters: what they accept, what they refuse, and how the console groups them."""

import re
import unittest

from cloudformation import TEMPLATE, Stack, source

SECRET = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:lab/vllm+a=b@c-AbCdEf"
MODELS = {
    "accepted": [
        "",
        "nova-2-lite=bedrock:us.amazon.nova-2-lite-v1:0",
        "a=baseline:random",
        "gpt=external:gpt-4o-mini,b/c:d=external:@cf/meta/llama-3.1-8b",
        "a=bedrock:arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2?family=claude",
        "a=bedrock:eu.amazon.nova-pro-v1:0?guardrail=abc:1&fallback=b,b=baseline:random",
        "a=bedrock:global.amazon.nova-2-lite-v1:0?global=allow",
        "a=bedrock:global.amazon.nova-2-lite-v1:0?max_tokens=9&global=allow&fallback=b,b=baseline:random",
        "a=bedrock:arn:aws:bedrock:us-east-1:123456789012:inference-profile/global.x.y-v1:0?global=allow",
        "a=external:global.x",
        "a=bedrock:eu.global.x",
        ",".join(f"m{i}=baseline:random" for i in range(6)),
        "a=external:m?base_url=https://vllm.example.edu:8443/~lab/v1",
        f"a=external:m?key_secret={SECRET},b=external:m?base_url=https://x.example/v1&key_secret={SECRET}&max_tokens=9",
        "a=external:m?base_url=https://vllm.example.edu/a%2Cb",
    ],
    "refused": [
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
        "a=bedrock:global.amazon.nova-2-lite-v1:0",
        "a=bedrock:global.x?global=allowed",
        "a=bedrock:global.x?max_tokens=9,b=bedrock:global.y?global=allow",
        "b=baseline:random,a=bedrock:arn:aws:bedrock:us-east-1:123456789012:inference-profile/global.x",
        ",".join(f"m{i}=baseline:random" for i in range(7)),
        "a=external:m?key_secret=lab/vllm",
        "a=external:m?key_secret=sk-1234567890",
        f"a=external:m?key_secret={SECRET[:-7]}",
        f"a=external:m?key_secret={SECRET}*",
        "a=external:m?key_secret=arn:aws:secretsmanager:*:123456789012:secret:x-AbCdEf",
        f"a=external:m?key_secret={SECRET},b=external:m?key_secret=lab/vllm",
        "key_secret=external:m",
        "a=external:m?base_url=http://vllm.example.edu/v1",
        "a=external:m?base_url=vllm.example.edu/v1",
        "a=external:m?base_url=https://me:key@vllm.example.edu/v1",
        "a=external:m?base_url=https://vllm.example.edu/v1?api-version=1",
        "a=external:m?base_url=",
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
OTHERS = {
    "AllowedSourceCidrs": {
        "accepted": ["192.0.2.1/32", "10.0.0.0/8,2001:db8::/32", "0.0.0.0/0", "::/0", "fe80::1/128"],
        "refused": [
            "192.0.2.1",
            "256.0.0.1/8",
            "192.0.2.0/33",
            "10.0.0.0/8, 10.1.0.0/16",
            "2001:db8::/129",
            "x/8",
            ",",
        ],
    },
    "TokenPrices": {
        "accepted": ["0/0", "0.25/1.25,3/15", "1/5,1/5,1/5,1/5,1/5,1/5"],
        "refused": ["", "1", "1/", "-1/5", "1/5,", "1,5/2", ".5/1", "1e3/5", "1/5,1/5,1/5,1/5,1/5,1/5,1/5"],
    },
    "AlarmEmail": {
        "accepted": ["", "lab@example.org", "a.b+c@mail.example.org"],
        "refused": ["lab", "lab@example", "a@b.org,c@d.org", "a b@c.org", "a@b@c.org"],
    },
    "DomainName": {
        "accepted": ["", "llm.example.org", "x-1.lab.example.org"],
        "refused": ["https://llm.example.org", "llm.example.org/v1", "example", "LLM.example.org", "-a.org", "a..org"],
    },
    "CertificateArn": {
        "accepted": [
            "",
            "arn:aws:acm:eu-central-1:123456789012:certificate/0a1b-2c",
            "arn:aws-cn:acm:cn-north-1:123456789012:certificate/0a",
        ],
        "refused": [
            "certificate/0a",
            "arn:aws:iam::123456789012:server-certificate/x",
            "arn:aws:acm:eu-central-1:1:certificate/0a",
        ],
    },
    "HostedZoneId": {"accepted": ["", "Z0123456789ABCDEFGHIJ"], "refused": ["/hostedzone/Z01", "example.org", "z01"]},
    "KmsKeyArn": {
        "accepted": [
            "",
            "arn:aws:kms:us-east-1:123456789012:key/0a1b-2c",
            "arn:aws-us-gov:kms:us-gov-west-1:123456789012:key/mrk-0a",
        ],
        "refused": ["alias/logs", "arn:aws:kms:us-east-1:123456789012:alias/logs", "0a1b-2c"],
    },
}
# each with what it leaves out, and a word of the answer
IMPOSSIBLE = (
    ("eu-central-1", {"DomainName": "llm.example.org"}, "CertificateArn"),
    ("eu-central-1", {"CertificateArn": "arn:aws:acm:eu-central-1:123456789012:certificate/0a"}, "DomainName"),
    ("eu-central-1", {"HostedZoneId": "Z01"}, "DomainName"),
    ("ap-northeast-1", {}, "Set Models"),
    ("cn-north-1", {}, "Set Models"),
    ("us-gov-west-1", {}, "Set Models"),
)
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference-rules.html
RULE_FUNCTIONS = {
    "Fn::And", "Fn::Contains", "Fn::EachMemberEquals", "Fn::EachMemberIn", "Fn::Equals", "Fn::Not", "Fn::Or",
    "Fn::RefAll", "Fn::ValueOf", "Fn::ValueOfAll", "Ref",
}  # fmt: skip


def functions(value):
    """Returns the names of all intrinsic functions in a value."""
    if isinstance(value, list):
        return set().union(*map(functions, value))
    if isinstance(value, dict):
        own = {k for k in value if k == "Ref" or k.startswith("Fn::")}
        return own.union(*map(functions, value.values()))
    return set()

PEM = "-----BEGIN CERTIFICATE-----\nMIIB+/8=\nAAAA\n-----END CERTIFICATE-----\n"
EXTERNAL_CA = {
    "accepted": [
        "",
        PEM,
        PEM + PEM,
        PEM.strip(),
        PEM.replace("\n", " "),
        PEM.replace("\n", "\\n"),
        PEM.replace("\n", "\r\n"),
        PEM.replace("\n", ""),
    ],
    "refused": [
        "/etc/ssl/ca.pem",
        "-----BEGIN CERTIFICATE-----",
        PEM[1:],
        PEM + "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n" + PEM,
        PEM + "${x}",
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
            *OTHERS.items(),
            ("ExternalCaPem", EXTERNAL_CA),
        ):
            pattern = re.compile(self.parameters[name]["AllowedPattern"])
            for value in values["accepted"] + [self.parameters[name]["Default"]]:
                with self.subTest(parameter=name, accepted=value):
                    self.assertTrue(pattern.fullmatch(value))
            for value in values["refused"]:
                with self.subTest(parameter=name, refused=value):
                    self.assertFalse(pattern.fullmatch(value))

    def test_every_pattern_is_tested(self):
        tested = {"Models", "ExternalBaseUrl", "ExternalApiKeySecretArn", "ExternalCaPem", *OTHERS}
        self.assertEqual(tested, {n for n, p in self.parameters.items() if "AllowedPattern" in p})

    def test_limits(self):
        for name, low, default, high in (
            ("RequestTimeoutSeconds", 10, 60, 300),
            ("MaxReasks", 0, 2, 5),
            ("MemorySize", 128, 256, 3008),
            ("ReservedConcurrency", 0, 0, 1000),
            ("RequestsPerSecond", 1, 200, 10000),
            ("RequestBurst", 1, 400, 5000),
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

    def test_impossible_combinations_are_refused(self):
        for region, parameters, word in IMPOSSIBLE:
            with self.subTest(region=region, parameters=parameters):
                (message,) = Stack(region, **parameters).failed_rules()
                self.assertIn(word, message)

    def test_possible_ones_are_not(self):
        for region, parameters in (
            ("us-east-1", {}),
            ("us-west-2", {}),
            ("eu-central-1", {}),
            ("ap-northeast-1", {"Models": "a=bedrock:jp.amazon.nova-2-lite-v1:0"}),
            ("cn-north-1", {"Models": "a=baseline:random", "AlarmEmail": "a@b.org"}),
            ("eu-central-1", {"DomainName": "a.org", "CertificateArn": "arn:aws:acm:x", "HostedZoneId": "Z01"}),
        ):
            with self.subTest(region=region, parameters=parameters):
                self.assertEqual(Stack(region, **parameters).failed_rules(), [])

    def test_the_readme_lists_each(self):
        readme = (TEMPLATE.parent / "README.md").read_text(encoding="utf-8")
        settings = readme[readme.index("### Settings") : readme.index("## What it costs")]
        for name, parameter in self.parameters.items():
            with self.subTest(parameter=name):
                (row,) = [
                    line for line in settings.splitlines() if line.startswith("|") and f"`{name}`" in line.split("|")[1]
                ]
                if parameter["Type"] == "Number" or "AllowedValues" in parameter:
                    self.assertIn(str(parameter["Default"]), row)

    def test_rules_use_what_rules_may(self):
        self.assertEqual(functions(source()["Rules"]) - RULE_FUNCTIONS, set())


if __name__ == "__main__":
    unittest.main()
