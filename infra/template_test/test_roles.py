"""The roles: what each function may do, and that it may do nothing else."""

import unittest

from access import allows, as_list
from cloudformation import Stack

INVOKE = "bedrock:InvokeModel"
STREAM = "bedrock:InvokeModelWithResponseStream"
EXTERNAL_KEY = "arn:aws:secretsmanager:us-east-1:123456789012:secret:lab/openai-AbCdEf"
CHAT, MODELS = "ChatCompletionsRole", "ModelsRole"


def profile(model, region="us-east-1", partition="aws", kind="inference-profile"):
    return f"arn:{partition}:bedrock:{region}:123456789012:{kind}/{model}"


def foundation(model, region="us-east-1", partition="aws"):
    return f"arn:{partition}:bedrock:{region}::foundation-model/{model}"


class RolesTest(unittest.TestCase):
    def check(self, stack, resource, want, via=None):
        context = {"bedrock:InferenceProfileArn": via} if via else {}
        for action in (INVOKE, STREAM):
            with self.subTest(action=action, resource=resource, via=via):
                self.assertIs(allows(stack.statements(CHAT), action, resource, context), want)

    def test_one_role_for_each_function_and_no_managed_policy(self):
        stack = Stack()
        roles = stack.of_type("AWS::IAM::Role")
        self.assertEqual(set(roles), {CHAT, MODELS})
        functions = stack.of_type("AWS::Lambda::Function")
        self.assertEqual(functions["ChatCompletionsFunction"]["Role"], f"{CHAT}.Arn")
        self.assertEqual(functions["ModelsFunction"]["Role"], f"{MODELS}.Arn")
        for role in roles.values():
            self.assertNotIn("ManagedPolicyArns", role)
            (trust,) = role["AssumeRolePolicyDocument"]["Statement"]
            self.assertEqual(trust["Principal"], {"Service": "lambda.amazonaws.com"})
            self.assertEqual(trust["Action"], "sts:AssumeRole")
        for kind in ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::IAM::RolePolicy"):
            self.assertFalse(stack.of_type(kind))

    def test_no_wildcards(self):
        stack = Stack(
            Models="a=bedrock:us.amazon.nova-2-lite-v1:0?guardrail=abc123:1,b=external:gpt",
            ExternalBaseUrl="https://api.example.org/v1",
            ExternalApiKeySecretArn=EXTERNAL_KEY,
        )
        behind_profiles = ["arn:aws:bedrock:*::foundation-model/*"]  # held by a condition, see below
        guardrail_profiles = "arn:aws:bedrock:*:123456789012:guardrail-profile/*.guardrail.v1:0"
        for role in (CHAT, MODELS):
            for statement in stack.statements(role):
                with self.subTest(role=role, statement=statement.get("Sid")):
                    self.assertEqual(statement["Effect"], "Allow")
                    self.assertNotIn("*", "".join(as_list(statement["Action"])))
                    resources = as_list(statement["Resource"])
                    if resources == behind_profiles:
                        self.assertIn("bedrock:InferenceProfileArn", statement["Condition"]["StringLike"])
                        continue
                    self.assertFalse([r for r in resources if "*" in r and r != guardrail_profiles])

    def test_logs_and_secrets(self):
        groups = {CHAT: "ChatCompletionsLogGroup.Arn", MODELS: "ModelsLogGroup.Arn"}
        for stack, key in ((Stack(), None), (Stack(ExternalApiKeySecretArn=EXTERNAL_KEY), EXTERNAL_KEY)):
            for role, group in groups.items():
                with self.subTest(role=role, key=key):
                    found = {}
                    for statement in stack.statements(role):
                        for action in as_list(statement["Action"]):
                            found.setdefault(action, set()).update(as_list(statement["Resource"]))
                    self.assertEqual(found["logs:CreateLogStream"], {group})
                    self.assertEqual(found["logs:PutLogEvents"], {group})
                    secrets = {"ApiKeySecret"} | ({key} if key and role == CHAT else set())
                    self.assertEqual(found["secretsmanager:GetSecretValue"], secrets)
                    extra = {INVOKE, STREAM} if role == CHAT else set()
                    known = {"logs:CreateLogStream", "logs:PutLogEvents", "secretsmanager:GetSecretValue"}
                    self.assertEqual(set(found), known | extra)

    def test_secrets_named_in_models(self):
        vllm = EXTERNAL_KEY.replace("openai", "vllm")
        last = "arn:aws:secretsmanager:us-east-1:123456789012:secret:a+b=c@d-QwErTy"
        stack = Stack(
            Models=f"a=external:m?base_url=https://a.example/v1&key_secret={vllm}&max_tokens=9,b=external:m,"
            f"c=bedrock:amazon.nova-pro-v1:0?fallback=a,d=baseline:random,e=external:m?key_secret={vllm},"
            f"f=external:m?key_secret={last}"
        )
        read = "secretsmanager:GetSecretValue"
        for secret, want in (
            (vllm, True),
            (last, True),
            (EXTERNAL_KEY, False),
            (vllm.replace("AbCdEf", "XXXXXX"), False),
            (vllm + "2", False),
            ("arn:aws:secretsmanager:us-east-1:123456789012:secret:none-AbCdEf", False),
        ):
            with self.subTest(secret=secret):
                self.assertIs(allows(stack.statements(CHAT), read, secret), want)
                self.assertFalse(allows(stack.statements(MODELS), read, secret))
        (named,) = [s for s in stack.statements(CHAT) if s.get("Sid") == "NamedSecrets"]
        self.assertEqual(len(named["Resource"]), 6)
        for resource in named["Resource"]:
            self.assertRegex(resource, r"^arn:aws:secretsmanager:us-east-1:123456789012:secret:[^ *?]+$")

    def test_default_model(self):
        stack, mine = Stack(), profile("us.amazon.nova-2-lite-v1:0")
        self.check(stack, mine, True)
        for region in ("us-east-1", "us-east-2", "us-west-2"):
            self.check(stack, foundation("amazon.nova-2-lite-v1:0", region), True, via=mine)

    def test_default_model_in_europe(self):
        stack, mine = Stack("eu-central-1"), profile("eu.amazon.nova-2-lite-v1:0", "eu-central-1")
        self.check(stack, mine, True)
        for region in ("eu-central-1", "eu-north-1", "eu-west-1"):
            self.check(stack, foundation("amazon.nova-2-lite-v1:0", region), True, via=mine)
        self.check(stack, profile("us.amazon.nova-2-lite-v1:0", "eu-central-1"), False)

    def test_nothing_but_the_model(self):
        stack, mine = Stack(), profile("us.amazon.nova-2-lite-v1:0")
        for resource in (
            foundation("amazon.nova-2-lite-v1:0"),  # not through the profile
            foundation("anthropic.claude-sonnet-4-5-20250929-v1:0"),
            profile("us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
            profile("us.amazon.nova-2-lite-v1:0", region="us-west-2"),
            profile("us.amazon.nova-2-lite-v1:0").replace("123456789012", "210987654321"),
        ):
            self.check(stack, resource, False)
        other = profile("us.anthropic.claude-sonnet-4-5-20250929-v1:0")
        self.check(stack, foundation("anthropic.claude-sonnet-4-5-20250929-v1:0"), False, via=other)
        self.assertFalse(allows(stack.statements(CHAT), "bedrock:ApplyGuardrail", mine))

    def test_six_models_in_any_order(self):
        stack = Stack(
            Models="claude=bedrock:us.anthropic.claude-haiku-4-5-20251001-v1:0?max_tokens=800&fallback=nova,"
            "gpt=external:openai/gpt-4o-mini:free,"
            "nova=bedrock:amazon.nova-pro-v1:0,"
            "random=baseline:random,"
            "kimi=bedrock:moonshotai.kimi-k2.5?max_tokens=400,"
            "any/where=bedrock:global.anthropic.claude-sonnet-4-5-20250929-v1:0?global=allow",
            ExternalBaseUrl="https://api.example.org/v1",
        )
        haiku, sonnet = "anthropic.claude-haiku-4-5-20251001-v1:0", "anthropic.claude-sonnet-4-5-20250929-v1:0"
        for model in (f"us.{haiku}", f"global.{sonnet}"):
            self.check(stack, profile(model), True)
            for region in ("us-west-2", ""):  # a global profile also asks for the model without a region
                self.check(stack, foundation(model.split(".", 1)[1], region), True, via=profile(model))
        for model in ("amazon.nova-pro-v1:0", "moonshotai.kimi-k2.5"):
            self.check(stack, foundation(model), True)
            self.check(stack, foundation(model, "us-west-2"), False)
        self.check(stack, foundation("random"), False)
        self.check(stack, foundation("openai/gpt-4o-mini:free"), False)

    def test_model_given_by_arn(self):
        application = profile("a1b2c3d4e5f6", kind="application-inference-profile")
        provisioned = "arn:aws:bedrock:us-east-1:123456789012:provisioned-model/abcdefghijkl"
        stack = Stack(Models=f"study=bedrock:{application}?family=claude,own=bedrock:{provisioned}?family=nova")
        self.check(stack, application, True)
        self.check(stack, provisioned, True)
        self.check(stack, foundation("anthropic.claude-haiku-4-5-20251001-v1:0", "us-east-2"), True, via=application)
        self.check(stack, foundation("anthropic.claude-haiku-4-5-20251001-v1:0", "us-east-2"), False)
        self.check(stack, profile("ffffffffffff", kind="application-inference-profile"), False)

    def test_guardrails(self):
        stack = Stack(
            Models="a=bedrock:amazon.nova-pro-v1:0?guardrail=abc123:DRAFT&max_tokens=9,"
            "b=bedrock:amazon.nova-lite-v1:0,c=bedrock:x.y?guardrail=zzz:2"
        )
        for guardrail, want in (("abc123", True), ("zzz", True), ("other", False)):
            with self.subTest(guardrail=guardrail):
                resource = profile(guardrail, kind="guardrail")
                self.assertIs(allows(stack.statements(CHAT), "bedrock:ApplyGuardrail", resource), want)
        system = profile("us.guardrail.v1:0", "us-west-2", kind="guardrail-profile")
        self.assertTrue(allows(stack.statements(CHAT), "bedrock:ApplyGuardrail", system))

    def test_without_a_bedrock_model_there_is_no_right_to_bedrock(self):
        stack = Stack(Models="gpt=external:gpt-4o-mini,random=baseline:random")
        self.assertNotIn("bedrock", str(stack.resources[CHAT]))

    def test_other_partitions(self):
        model = "anthropic.claude-sonnet-4-5-20250929-v1:0"
        stack = Stack("us-gov-west-1", Models=f"claude=bedrock:us-gov.{model},own=bedrock:amazon.nova-pro-v1:0")
        mine = profile(f"us-gov.{model}", "us-gov-west-1", "aws-us-gov")
        self.check(stack, mine, True)
        self.check(stack, foundation(model, "us-gov-east-1", "aws-us-gov"), True, via=mine)
        self.check(stack, foundation("amazon.nova-pro-v1:0", "us-gov-west-1", "aws-us-gov"), True)
        for statement in stack.statements(CHAT):
            for resource in as_list(statement["Resource"]):
                self.assertFalse(resource.startswith("arn:aws:"), resource)

    def test_the_policy_stays_within_iams_limit(self):
        # https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html: 10,240 characters
        model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0?guardrail=abcdefghijkl:DRAFT"
        stack = Stack(Models=",".join(f"m{i}=bedrock:{model}" for i in range(6)), ExternalApiKeySecretArn=EXTERNAL_KEY)
        self.assertLess(len(str(stack.resources[CHAT]["Properties"]["Policies"])), 10_240)
        secret = f"external:m?key_secret=arn:aws:secretsmanager:us-east-1:123456789012:secret:{'x' * 200}-AbCdEf"
        mixed = ",".join(f"m{i}={'bedrock:' + model if i < 3 else secret}" for i in range(6))
        stack = Stack(Models=mixed, ExternalApiKeySecretArn=EXTERNAL_KEY)
        self.assertLess(len(str(stack.resources[CHAT]["Properties"]["Policies"])), 10_240)


if __name__ == "__main__":
    unittest.main()
