"""The key, the outputs, and that nothing outlives the stack."""

import collections
import unittest

from cloudformation import TEMPLATE, Stack, source


class StackTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = Stack()

    def test_the_key_is_generated(self):
        (secret,) = self.stack.of_type("AWS::SecretsManager::Secret").values()
        self.assertNotIn("SecretString", secret)
        self.assertNotIn("Name", secret)  # a fixed name could not be used again at once
        # plain text: no template around the key, and nothing that a shell or a form would mangle
        self.assertEqual(secret["GenerateSecretString"], {"PasswordLength": 40, "ExcludePunctuation": True})

    def test_outputs(self):
        outputs = self.stack.outputs
        self.assertEqual(outputs["BaseUrl"], "https://Api.execute-api.us-east-1.amazonaws.com/v1")
        self.assertEqual(
            outputs["KeyCommand"],
            "aws secretsmanager get-secret-value --region us-east-1 --secret-id ApiKeySecret"
            " --query SecretString --output text",
        )
        self.assertEqual(outputs["ModelName"], "nova-2-lite")
        self.assertEqual(outputs["RequestTimeout"], "60")
        self.assertEqual(outputs["ServedModels"], "nova-2-lite=bedrock:us.amazon.nova-2-lite-v1:0")
        self.assertEqual(outputs["ApiKeySecretArn"], "ApiKeySecret")
        self.assertEqual(outputs["LogGroup"], "ChatCompletionsLogGroup")
        self.assertEqual(outputs["MetricsNamespace"], "HyperStudyEndpoint/study")
        self.assertEqual(outputs["LogCommand"], "aws logs tail --region us-east-1 --follow ChatCompletionsLogGroup")

    def test_pages_of_the_console(self):
        for region, domain in (
            ("eu-central-1", "console.aws.amazon.com"),
            ("cn-north-1", "console.amazonaws.cn"),
            ("us-gov-west-1", "console.amazonaws-us-gov.com"),
        ):
            with self.subTest(region=region):
                outputs = Stack(region, Models="random=baseline:random").outputs
                home = f"https://{region}.{domain}"
                self.assertEqual(outputs["KeyPage"], f"{home}/secretsmanager/secret?region={region}&name=ApiKeySecret")
                self.assertEqual(
                    outputs["DashboardPage"],
                    f"{home}/cloudwatch/home?region={region}#dashboards/dashboard/MonitoringDashboard",
                )

    def test_every_output_is_described(self):
        for name, output in source()["Outputs"].items():
            with self.subTest(output=name):
                self.assertRegex(output["Description"], r"^[A-Z].+\.$")
                self.assertNotIn("Export", output)

    def test_every_output_and_variable_is_explained(self):
        text = (TEMPLATE.parent / "docs" / "operations.md").read_text(encoding="utf-8")
        variables = source()["Globals"]["Function"]["Environment"]["Variables"]
        for name in [*source()["Outputs"], *variables]:
            with self.subTest(name=name):
                self.assertTrue(f"`{name}`" in text)  # the text is too long for a message

    def test_the_base_url_follows_the_partition(self):
        stack = Stack("cn-north-1", Models="random=baseline:random")
        self.assertEqual(stack.outputs["BaseUrl"], "https://Api.execute-api.cn-north-1.amazonaws.com.cn/v1")
        self.assertEqual(stack.outputs["ModelName"], "random")

    def test_nothing_outlives_the_stack(self):
        # but the role that other APIs write their logs with, if the stack was asked to set it
        kept = {"ApiAccount": "AWS::ApiGateway::Account", "ApiAccountRole": "AWS::IAM::Role"}
        for name, resource in self.stack.raw.items():
            with self.subTest(resource=name):
                self.assertNotEqual(resource["Type"], "AWS::Lambda::Version")
                if name in kept:
                    self.assertEqual(resource["Type"], kept[name])
                    self.assertEqual(resource["Condition"], "SetsAccountRole")
                    continue
                for policy in ("DeletionPolicy", "UpdateReplacePolicy"):
                    self.assertIn(resource.get(policy, "Delete"), ("Delete",))

    def test_capability_iam_is_enough(self):
        for role in Stack(AccessLogs="with-account-role").of_type("AWS::IAM::Role").values():
            self.assertNotIn("RoleName", role)

    def test_what_is_made_by_default(self):
        self.assertEqual(
            collections.Counter(r["Type"] for r in self.stack.resources.values()),
            {
                "AWS::ApiGateway::RestApi": 1,
                "AWS::ApiGateway::Deployment": 1,
                "AWS::ApiGateway::Stage": 1,
                "AWS::Lambda::Function": 2,
                "AWS::Lambda::Permission": 5,
                "AWS::IAM::Role": 2,
                "AWS::Logs::LogGroup": 2,
                "AWS::SecretsManager::Secret": 1,
                "AWS::CloudWatch::Dashboard": 1,
            },
        )


if __name__ == "__main__":
    unittest.main()
