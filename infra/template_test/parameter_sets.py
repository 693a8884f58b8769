"""Deployments that the template is checked for, each with its region and its parameters.

usage: parameter_sets.py FOLDER

writes template.yaml once for each, with the parameters as defaults, for checks that know nothing but defaults.
Prints the region and the file of each.
"""

import pathlib
import sys

import yaml
from cloudformation import TEMPLATE
from samtranslator.yaml_helper import yaml_parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from release import Dumper  # noqa: E402  the folder above is no package


def everything(region, partition):
    """Returns every option at once, in a region."""
    return {
        "RequestTimeoutSeconds": "300",
        "ToolChoice": "required",
        "MaxReasks": "5",
        "RequestsPerSecond": "20",
        "RequestBurst": "40",
        "ReservedConcurrency": "20",
        "AllowedSourceCidrs": "192.0.2.0/24,2001:db8::/32",
        "TokenPrices": "1/5,0.25/1.25",
        "AlarmEmail": "lab@example.org",
        "DomainName": "llm.example.org",
        "CertificateArn": f"arn:{partition}:acm:{region}:123456789012:certificate/0a1b",
        "HostedZoneId": "Z0123456789",
        "LogLevel": "debug",
        "LogRetentionDays": "365",
        "AccessLogs": "with-account-role",
        "KmsKeyArn": f"arn:{partition}:kms:{region}:123456789012:key/0a1b",
        "MemorySize": "1024",
    }


EXTERNAL = {
    "ExternalBaseUrl": "https://llm.example.org/v1",
    "ExternalApiKeySecretArn": "arn:aws:secretsmanager:us-east-1:123456789012:secret:lab/llm-AbCdEf",
    "ExternalCaPem": "-----BEGIN CERTIFICATE-----\\nAAAA\\n-----END CERTIFICATE-----",
}
SIX = (
    "careful=bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0?guardrail=abc123:1&fallback=fast,"
    "fast=bedrock:us.amazon.nova-2-lite-v1:0,direct=bedrock:amazon.nova-pro-v1:0?max_tokens=800,"
    "anywhere=bedrock:global.anthropic.claude-haiku-4-5-20251001-v1:0?global=allow,"
    "gpt=external:gpt-5-mini,chance=baseline:random"
)
# name: region and parameters
SETS = {
    "defaults": ("us-east-1", {}),
    "defaults-west": ("us-west-2", {}),
    "defaults-europe": ("eu-central-1", {}),
    "external-only": ("us-east-1", {"Models": "gpt=external:gpt-5-mini", **EXTERNAL}),
    "baseline-only": ("ap-northeast-1", {"Models": "chance=baseline:random", "Dashboard": "off"}),
    "six-models": ("us-east-1", {"Models": SIX, **EXTERNAL}),
    "watched": ("eu-central-1", {"AlarmEmail": "lab@example.org", "AccessLogs": "on"}),
    "everything": ("us-east-1", everything("us-east-1", "aws")),
    "govcloud": (
        "us-gov-west-1",
        {
            "Models": "claude=bedrock:us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0",
            **everything("us-gov-west-1", "aws-us-gov"),
        },
    ),
    "china": ("cn-north-1", {"Models": "chance=baseline:random", **everything("cn-north-1", "aws-cn")}),
}


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, (region, parameters) in SETS.items():
        template = yaml_parse(TEMPLATE.read_text(encoding="utf-8"))
        for parameter, value in parameters.items():
            template["Parameters"][parameter]["Default"] = value
        path = folder / f"{name}.yaml"
        path.write_text(yaml.dump(template, Dumper=Dumper, sort_keys=False, width=1_000_000), encoding="utf-8")
        print(region, path)


if __name__ == "__main__":
    main()
