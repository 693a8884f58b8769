// The client against the compiled functions, behind API Gateway and in front of Bedrock.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import OpenAI from 'openai';

import { startDeployed } from './server.js';

const apiKey = 'sk-node-0123456789abcdef';
const model = 'nova';
const messages = [{ role: 'user', content: 'How calm do you feel? 0 = not at all, 100 = completely.' }];
const parameters = { type: 'object', properties: { value: { type: 'number', minimum: 0, maximum: 100 } }, required: ['value'] };
const tools = [{ type: 'function', function: { name: 'submit_response', parameters } }];

let server;
let client;

before(async () => {
  server = await startDeployed({ API_KEY: apiKey });
  client = newClient(apiKey);
});

after(async () => assert.deepEqual(await server.stop(), { code: 0, signal: null }));

function newClient(key) {
  return new OpenAI({ baseURL: server.baseURL, apiKey: key, maxRetries: 0 });
}

function assertRating(call) {
  assert.equal(call.type, 'function');
  assert.equal(call.function.name, 'submit_response');
  assert.deepEqual(JSON.parse(call.function.arguments), { value: 63.5 });
}

test('models', async () => {
  const ids = [];
  for await (const m of client.models.list()) ids.push(m.id);
  assert.deepEqual(ids, [model]);
  assert.equal((await client.models.retrieve(model)).owned_by, 'bedrock');
});

test('completion of one token', async () => {
  const completion = await client.chat.completions.create({ model: 'default', messages, max_tokens: 1 });
  assert.equal(completion.model, 'us.amazon.nova-2-lite-v1:0');
  assert.equal(completion.choices[0].message.content, 'Calm.');
});

test('tool call', async () => {
  const { data, response } = await client.chat.completions.create({ model, messages, tools }).withResponse();
  assert.equal(data.choices[0].finish_reason, 'tool_calls');
  assertRating(data.choices[0].message.tool_calls[0]);
  assert.equal(response.headers.get('x-endpoint-attempts'), '1');
});

test('streams', async () => {
  const text = await client.chat.completions.stream({ model, messages }).finalChatCompletion();
  assert.equal(text.choices[0].message.content, 'Calm.');
  const call = await client.chat.completions.stream({ model, messages, tools }).finalChatCompletion();
  assert.equal(call.choices[0].finish_reason, 'tool_calls');
  assertRating(call.choices[0].message.tool_calls[0]);
});

test('errors', async () => {
  await assert.rejects(newClient('sk-wrong').models.list(), (e) => e instanceof OpenAI.AuthenticationError && e.code === 'invalid_api_key');
  await assert.rejects(
    client.chat.completions.create({ model: 'gpt-9', messages }),
    (e) => e instanceof OpenAI.NotFoundError && e.code === 'model_not_found' && e.param === 'model',
  );
  await assert.rejects(
    client.chat.completions.create({ model, messages, temperature: 1.5 }),
    (e) => e instanceof OpenAI.BadRequestError && e.param === 'temperature',
  );
});
