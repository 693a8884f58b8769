"""What holds for every deployment, in every region and with every option."""

import re
import unittest

from access import as_list
from cloudformation import Stack, partition_of, source
from parameter_sets import SETS

ALWAYS = {
    "AWS::ApiGateway::RestApi": 1,
    "AWS::ApiGateway::Deployment": 1,
    "AWS::ApiGateway::Stage": 1,
    "AWS::IAM::Role": 2,
    "AWS::Lambda::Function": 2,
    "AWS::Lambda::Permission": 5,
    "AWS::Logs::LogGroup": 2,
    "AWS::SecretsManager::Secret": 1,
}
DASHBOARD = {"AWS::CloudWatch::Dashboard": 1}
ALARMS = {"AWS::CloudWatch::Alarm": 5, "AWS::SNS::Topic": 1}
EVERYTHING = {
    **DASHBOARD,
    **ALARMS,
    "AWS::ApiGateway::Account": 1,
    "AWS::ApiGateway::BasePathMapping": 1,
    "AWS::ApiGateway::DomainName": 1,
    "AWS::IAM::Role": 3,
    "AWS::Logs::LogGroup": 3,
    "AWS::Route53::RecordSet": 1,
}
# what each set has beside ALWAYS
MADE = {
    "defaults": DASHBOARD,
    "defaults-west": DASHBOARD,
    "defaults-europe": DASHBOARD,
    "external-only": DASHBOARD,
    "baseline-only": {},
    "six-models": DASHBOARD,
    "watched": {**DASHBOARD, **ALARMS, "AWS::Logs::LogGroup": 3},
    "everything": EVERYTHING,
    "govcloud": EVERYTHING,
    "china": EVERYTHING,
}


class ParameterSetsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stacks = {name: Stack(region, **parameters) for name, (region, parameters) in SETS.items()}

    def test_the_parameters_are_accepted(self):
        for name, stack in self.stacks.items():
            with self.subTest(set=name):
                self.assertEqual(stack.failed_rules(), [])
                for parameter, value in SETS[name][1].items():
                    limits = source()["Parameters"][parameter]
                    if "AllowedPattern" in limits:
                        self.assertTrue(re.fullmatch(limits["AllowedPattern"], value), parameter)
                    elif "AllowedValues" in limits:
                        self.assertIn(value, map(str, limits["AllowedValues"]))
                    else:
                        self.assertIn(int(value), range(limits["MinValue"], limits["MaxValue"] + 1))

    def test_what_is_made(self):
        self.assertEqual(set(MADE), set(SETS))
        for name, stack in self.stacks.items():
            with self.subTest(set=name):
                counts = {}
                for resource in stack.resources.values():
                    counts[resource["Type"]] = counts.get(resource["Type"], 0) + 1
                self.assertEqual(counts, ALWAYS | MADE[name])

    def test_only_chat_streams_and_there_is_one_stage(self):
        for name, stack in self.stacks.items():
            with self.subTest(set=name):
                (stage,) = stack.of_type("AWS::ApiGateway::Stage").values()
                self.assertEqual(stage["StageName"], "v1")
                for path, methods in stack.api["paths"].items():
                    for method in set(methods) - {"parameters"}:
                        integration = methods[method]["x-amazon-apigateway-integration"]
                        self.assertEqual(integration.get("responseTransferMode") == "STREAM", method == "post", path)

    def test_rights_name_what_they_are_for(self):
        for name, stack in self.stacks.items():
            with self.subTest(set=name):
                for role in ("ModelsRole", "ChatCompletionsRole"):
                    for statement in stack.statements(role):
                        for action in as_list(statement["Action"]):
                            self.assertRegex(action, r"^(logs|secretsmanager|bedrock|kms):[A-Za-z]+$")
                        for resource in as_list(statement["Resource"]):
                            self.assertNotIn(resource, ("*", "arn:*"))

    def test_everything_is_of_the_stacks_partition_and_region(self):
        for name, stack in self.stacks.items():
            with self.subTest(set=name):
                region = SETS[name][0]
                partition = partition_of(region)
                everything = str(stack.resources) + str(stack.outputs)
                self.assertEqual(set(re.findall(r"arn:(aws[a-z-]*):", everything)), {partition})
                regions = set(
                    re.findall(r"arn:aws[a-z-]*:(?:apigateway|execute-api|logs|kms):([a-z0-9-]+):", everything)
                )
                self.assertEqual(regions, {region})

    def test_nobody_elses_account(self):
        for name, stack in self.stacks.items():
            with self.subTest(set=name):
                accounts = set(re.findall(r"arn:[a-z-]+:[a-z0-9-]+:[a-z0-9*-]*:([0-9]+):", str(stack.resources)))
                self.assertLessEqual(accounts, {"123456789012"})

    def test_logs_end(self):
        for name, stack in self.stacks.items():
            with self.subTest(set=name):
                for group in stack.of_type("AWS::Logs::LogGroup").values():
                    self.assertGreater(int(group["RetentionInDays"]), 0)

    def test_no_secret_is_in_the_environment(self):
        for name, stack in self.stacks.items():
            with self.subTest(set=name):
                for function in stack.of_type("AWS::Lambda::Function"):
                    environment = stack.environment(function)
                    self.assertEqual(environment["API_KEY_SECRET"], "ApiKeySecret")
                    self.assertNotIn("resolve:", str(environment))


if __name__ == "__main__":
    unittest.main()
