"""What is made only when it is asked for: domain, access logs, encryption by a key of one's own, budget."""

import re
import unittest

from access import allows
from cloudformation import TEMPLATE, Stack
from samtranslator.yaml_helper import yaml_parse

KEY = "arn:aws:kms:us-east-1:123456789012:key/0a1b"
CERTIFICATE = "arn:aws:acm:us-east-1:123456789012:certificate/0a1b"
DOMAIN = {"DomainName": "llm.example.org", "CertificateArn": CERTIFICATE}


def only(stack, kind):
    """Returns the properties of the one resource of a type."""
    (properties,) = stack.of_type(kind).values()
    return properties


class DomainTest(unittest.TestCase):
    def test_domain(self):
        stack = Stack(**DOMAIN)
        domain = only(stack, "AWS::ApiGateway::DomainName")
        self.assertEqual(domain["DomainName"], "llm.example.org")
        self.assertEqual(domain["RegionalCertificateArn"], CERTIFICATE)
        self.assertEqual(domain["EndpointConfiguration"], {"Types": ["REGIONAL"]})
        self.assertEqual(domain["SecurityPolicy"], "TLS_1_2")
        (stage,) = stack.of_type("AWS::ApiGateway::Stage")
        self.assertEqual(
            only(stack, "AWS::ApiGateway::BasePathMapping"),
            {"DomainName": "CustomDomain", "BasePath": "v1", "RestApiId": "Api", "Stage": stage},
        )
        self.assertFalse(stack.of_type("AWS::Route53::RecordSet"))
        self.assertEqual(stack.outputs["BaseUrl"], "https://llm.example.org/v1")
        self.assertEqual(stack.outputs["DomainTarget"], "CustomDomain.RegionalDomainName")

    def test_record(self):
        self.assertEqual(
            only(Stack(HostedZoneId="Z01", **DOMAIN), "AWS::Route53::RecordSet"),
            {
                "HostedZoneId": "Z01",
                "Name": "CustomDomain",
                "Type": "A",
                "AliasTarget": {
                    "DNSName": "CustomDomain.RegionalDomainName",
                    "HostedZoneId": "CustomDomain.RegionalHostedZoneId",
                },
            },
        )

    def test_none(self):
        outputs = Stack().outputs
        self.assertNotIn("DomainTarget", outputs)
        self.assertIn("execute-api", outputs["BaseUrl"])


class AccessLogsTest(unittest.TestCase):
    def test_without_touching_the_account(self):
        stack = Stack(AccessLogs="on", LogRetentionDays=7)
        self.assertFalse(stack.of_type("AWS::ApiGateway::Account"))
        self.assertEqual(set(stack.of_type("AWS::IAM::Role")), {"ModelsRole", "ChatCompletionsRole"})
        group = stack.resources["AccessLogGroup"]["Properties"]
        self.assertEqual((group["LogGroupName"], group["RetentionInDays"]), ("/aws/apigateway/study", "7"))
        setting = only(stack, "AWS::ApiGateway::Stage")["AccessLogSetting"]
        self.assertEqual(setting["DestinationArn"], "AccessLogGroup.Arn")

    def test_a_line_names_no_person(self):
        stage = only(Stack(AccessLogs="on"), "AWS::ApiGateway::Stage")
        line = stage["AccessLogSetting"]["Format"]
        for word in ("identity", "sourceIp", "userAgent", "context.path", "authorizer", "header", "error.message"):
            self.assertNotIn(word, line)
        self.assertNotIn("\n", line)

    def test_with_the_accounts_role(self):
        stack = Stack(AccessLogs="with-account-role")
        self.assertEqual(only(stack, "AWS::ApiGateway::Account"), {"CloudWatchRoleArn": "ApiAccountRole.Arn"})
        role = stack.resources["ApiAccountRole"]["Properties"]
        (policy,) = role["ManagedPolicyArns"]
        self.assertEqual(policy, "arn:aws:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs")
        # the stage waits for the group, and the group for the account's role
        (tag,) = stack.resources["AccessLogGroup"]["Properties"]["Tags"]
        self.assertEqual(tag["Value"], "ApiAccount")
        for name in ("ApiAccount", "ApiAccountRole"):
            kept = stack.resources[name]
            self.assertEqual((kept["DeletionPolicy"], kept["UpdateReplacePolicy"]), ("RetainExceptOnCreate", "Retain"))


class KmsTest(unittest.TestCase):
    def test_own_key(self):
        stack = Stack(KmsKeyArn=KEY, AccessLogs="on", AlarmEmail="lab@example.org")
        groups = stack.of_type("AWS::Logs::LogGroup").values()
        self.assertEqual([g["KmsKeyId"] for g in groups], [KEY] * 3)
        self.assertEqual(only(stack, "AWS::SecretsManager::Secret")["KmsKeyId"], KEY)
        self.assertEqual(only(stack, "AWS::SNS::Topic")["KmsMasterKeyId"], KEY)

    def test_the_functions_may_decrypt_secrets_with_it_and_nothing_else(self):
        stack = Stack(KmsKeyArn=KEY)
        for role in ("ModelsRole", "ChatCompletionsRole"):
            for service, want in (("secretsmanager", True), ("s3", False)):
                context = {"kms:ViaService": f"{service}.us-east-1.amazonaws.com"}
                self.assertIs(allows(stack.statements(role), "kms:Decrypt", KEY, context), want)
            self.assertFalse(allows(stack.statements(role), "kms:Decrypt", KEY + "x", context))

    def test_none(self):
        self.assertNotIn("Kms", str(Stack(AlarmEmail="lab@example.org", AccessLogs="on").resources))
        self.assertNotIn("kms:", str(Stack().resources))


class BudgetTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.template = yaml_parse((TEMPLATE.parent / "infra" / "budget.yaml").read_text(encoding="utf-8"))

    def test_budget(self):
        (budget,) = self.template["Resources"].values()
        limit = {"Amount": {"Ref": "MonthlyUsd"}, "Unit": "USD"}
        self.assertEqual(budget["Type"], "AWS::Budgets::Budget")
        self.assertEqual(
            budget["Properties"]["Budget"], {"BudgetType": "COST", "TimeUnit": "MONTHLY", "BudgetLimit": limit}
        )
        found = []
        for entry in budget["Properties"]["NotificationsWithSubscribers"]:
            self.assertEqual(entry["Subscribers"], [{"SubscriptionType": "EMAIL", "Address": {"Ref": "Email"}}])
            self.assertEqual(entry["Notification"]["ComparisonOperator"], "GREATER_THAN")
            found.append((entry["Notification"]["NotificationType"], entry["Notification"]["Threshold"]))
        self.assertEqual(found, [("ACTUAL", 80), ("ACTUAL", 100), ("FORECASTED", 100)])

    def test_address(self):
        pattern = re.compile(self.template["Parameters"]["Email"]["AllowedPattern"])
        for address, want in (("lab@example.org", True), ("", False), ("lab", False), ("a@b.org,c@d.org", False)):
            self.assertIs(pattern.fullmatch(address) is not None, want, address)

    def test_the_endpoint_itself_has_none(self):
        # CloudFormation would refuse its template in regions that know no budgets
        self.assertNotIn("Budget", str(Stack(AlarmEmail="lab@example.org").raw))


class PartitionsTest(unittest.TestCase):
    def test_no_arn_of_another_partition(self):
        everything = {
            "Models": "random=baseline:random",
            "AlarmEmail": "lab@example.org",
            "AccessLogs": "with-account-role",
            **DOMAIN,
        }
        for region, partition in (("cn-north-1", "aws-cn"), ("us-gov-west-1", "aws-us-gov")):
            with self.subTest(region=region):
                everything["CertificateArn"] = f"arn:{partition}:acm:{region}:123456789012:certificate/0a"
                stack = Stack(region, **everything)
                self.assertEqual(stack.failed_rules(), [])
                text = str(stack.resources) + str(stack.outputs)
                self.assertIn(f"arn:{partition}:", text)
                self.assertNotIn("arn:aws:", text)


if __name__ == "__main__":
    unittest.main()
