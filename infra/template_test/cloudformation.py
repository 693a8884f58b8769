"""A small stand-in for CloudFormation: transforms template.yaml as AWS SAM does and resolves what comes out.

Only what the template uses is known; anything else raises, so that no test passes on an unresolved value.
"""

import copy
import functools
import logging
import pathlib
import re
import types

from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
from samtranslator.utils.py27hash_fix import to_py27_compatible_template, undo_mark_unicode_str_in_template
from samtranslator.yaml_helper import yaml_parse

TEMPLATE = pathlib.Path(__file__).resolve().parents[2] / "template.yaml"
ACCOUNT = "123456789012"
NO_VALUE = object()

logging.getLogger("samtranslator").setLevel(logging.CRITICAL)  # it warns of its own feature switches


@functools.cache
def source():
    """Returns template.yaml as it is written. Do not change what it returns."""
    return yaml_parse(TEMPLATE.read_text(encoding="utf-8"))


def transform(template, parameters, region):
    """Returns the CloudFormation template that AWS SAM makes of template in a region."""
    to_py27_compatible_template(template, parameters)
    translator = Translator(None, Parser(), boto_session=types.SimpleNamespace(region_name=region))
    # no managed policy is known, so that the template cannot use one
    return undo_mark_unicode_str_in_template(translator.translate(template, parameters, get_managed_policy_map=dict))


def partition_of(region):
    """Returns the AWS partition that a region belongs to."""
    return {"cn": "aws-cn", "us-gov": "aws-us-gov"}.get(re.match("cn|us-gov|", region).group(), "aws")


class Stack:
    """template.yaml deployed with the given parameters. Resources, outputs and the API are fully resolved."""

    def __init__(self, region="us-east-1", **parameters):
        template = copy.deepcopy(source())
        unknown = set(parameters) - set(template["Parameters"])
        if unknown:
            raise KeyError(f"no such parameter: {sorted(unknown)}")
        values = {name: str(parameters.get(name, p.get("Default"))) for name, p in template["Parameters"].items()}
        for resource in template["Resources"].values():
            if resource["Type"] == "AWS::Serverless::Function":
                resource["Properties"]["CodeUri"] = "s3://bucket/code.zip"
        self.transformed = transform(template, dict(values), region)
        partition = partition_of(region)
        self.names = values | {
            "AWS::AccountId": ACCOUNT,
            "AWS::NoValue": NO_VALUE,
            "AWS::Partition": partition,
            "AWS::Region": region,
            "AWS::StackName": "study",
            "AWS::URLSuffix": "amazonaws.com.cn" if partition == "aws-cn" else "amazonaws.com",
        }
        self.raw = self.transformed["Resources"]

    @functools.cached_property
    def resources(self):
        """The resources that are made, by logical id."""
        return {
            name: self.resolve(resource)
            for name, resource in self.raw.items()
            if self.condition(resource.get("Condition"))
        }

    @functools.cached_property
    def outputs(self):
        """The values of the outputs that there are."""
        return {
            name: self.resolve(output["Value"])
            for name, output in self.transformed["Outputs"].items()
            if self.condition(output.get("Condition"))
        }

    def of_type(self, kind):
        """Returns the properties of all resources of a type, by logical id."""
        return {name: r.get("Properties", {}) for name, r in self.resources.items() if r["Type"] == kind}

    @property
    def api(self):
        """The OpenAPI definition of the one REST API."""
        (properties,) = self.of_type("AWS::ApiGateway::RestApi").values()
        return properties["Body"]

    def environment(self, function):
        """Returns the environment variables of a function."""
        return self.resources[function]["Properties"]["Environment"]["Variables"]

    def statements(self, role):
        """Returns the policy statements of a role."""
        policies = self.resources[role]["Properties"]["Policies"]
        return [s for p in policies for s in p["PolicyDocument"]["Statement"]]

    def failed_rules(self):
        """Returns the descriptions of the assertions in Rules that refuse the parameters."""
        return [
            assertion["AssertDescription"]
            for rule in self.transformed["Rules"].values()
            if self.resolve(rule["RuleCondition"])
            for assertion in rule["Assertions"]
            if not self.resolve(assertion["Assert"])
        ]

    def condition(self, name):
        """Tells whether a named condition holds; no name always does."""
        return name is None or self.resolve(self.transformed["Conditions"][name])

    def resolve(self, value):
        """Returns value with every intrinsic function replaced by its result."""
        if isinstance(value, list):
            return [r for r in map(self.resolve, value) if r is not NO_VALUE]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            ((name, argument),) = value.items()
            if name == "Ref" or name.startswith("Fn::"):
                return self.call(name, argument)
        resolved = {k: self.resolve(v) for k, v in value.items()}
        return {k: v for k, v in resolved.items() if v is not NO_VALUE}

    def call(self, function, argument):
        """Returns the result of an intrinsic function."""
        if function == "Ref":
            return self.ref(argument)
        if function == "Fn::If":
            name, yes, no = argument
            return self.resolve(yes if self.condition(name) else no)
        if function == "Fn::Sub":
            return self.sub(argument)
        argument = self.resolve(argument)
        if function == "Fn::GetAtt":
            logical_id, attribute = argument if isinstance(argument, list) else argument.split(".", 1)
            return f"{self.known(logical_id)}.{attribute}"
        if function == "Fn::Join":
            return argument[0].join(argument[1])
        if function == "Fn::Split":
            return argument[1].split(argument[0])
        if function == "Fn::Select":
            return argument[1][int(argument[0])]
        if function == "Fn::Equals":
            return str(argument[0]) == str(argument[1])
        if function == "Fn::Not":
            return not argument[0]
        if function == "Fn::Or":
            return any(argument)
        if function == "Fn::Contains":
            return argument[1] in argument[0]
        raise NotImplementedError(function)

    def ref(self, name):
        return self.names[name] if name in self.names else self.known(name)

    def known(self, logical_id):
        """Returns a logical id that exists: the stand-in for the resource's name or ARN."""
        if logical_id not in self.raw:
            raise KeyError(f"nothing in the template is called {logical_id}")
        if not self.condition(self.raw[logical_id].get("Condition")):
            raise KeyError(f"{logical_id} is not made with these parameters")
        return logical_id

    def sub(self, argument):
        text, own = (argument, {}) if isinstance(argument, str) else argument
        own = {name: self.resolve(value) for name, value in own.items()}

        def replace(match):
            name = match[1]
            if name in own:
                return own[name]
            if "." in name:
                return self.call("Fn::GetAtt", name)
            return str(self.ref(name))

        return re.sub(r"\$\{([^!}][^}]*)\}", replace, text)
