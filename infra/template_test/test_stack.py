"""The key, the outputs, and that nothing outlives the stack."""

import unittest

from cloudformation import Stack, source


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
        self.assertEqual(outputs["LogCommand"], "aws logs tail --region us-east-1 --follow ChatCompletionsLogGroup")

    def test_every_output_is_described(self):
        for name, output in source()["Outputs"].items():
            with self.subTest(output=name):
                self.assertRegex(output["Description"], r"^[A-Z].+\.$")
                self.assertNotIn("Export", output)

    def test_the_base_url_follows_the_partition(self):
        stack = Stack("cn-north-1", Models="random=baseline:random")
        self.assertEqual(stack.outputs["BaseUrl"], "https://Api.execute-api.cn-north-1.amazonaws.com.cn/v1")
        self.assertEqual(stack.outputs["ModelName"], "random")

    def test_nothing_outlives_the_stack(self):
        for name, resource in self.stack.raw.items():
            with self.subTest(resource=name):
                for policy in ("DeletionPolicy", "UpdateReplacePolicy"):
                    self.assertIn(resource.get(policy, "Delete"), ("Delete",))
                self.assertNotIn(resource["Type"], ("AWS::ApiGateway::Account", "AWS::Lambda::Version"))

    def test_capability_iam_is_enough(self):
        for role in self.stack.of_type("AWS::IAM::Role").values():
            self.assertNotIn("RoleName", role)

    def test_no_custom_resources(self):
        known = {"ApiGateway", "IAM", "Lambda", "Logs", "SecretsManager"}
        self.assertEqual({r["Type"].split("::")[1] for r in self.stack.raw.values()}, known)


if __name__ == "__main__":
    unittest.main()
