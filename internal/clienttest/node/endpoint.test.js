import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import OpenAI from 'openai';

import { startDevServer } from './server.js';

const apiKey = 'sk-node-0123456789abcdef';
const messages = [
  { role: 'system', content: 'You are Robin, 34.' },
  { role: 'user', content: 'A rating scale is on screen: How calm do you feel? 0 = not at all, 100 = completely.' },
];
const parameters = {
  type: 'object',
  properties: { value: { type: 'number', minimum: 0, maximum: 100 } },
  required: ['value'],
  additionalProperties: false,
};
const tools = [{ type: 'function', function: { name: 'submit_response', description: 'Submit your response.', parameters } }];

let server;
let client;

before(async () => {
  server = await startDevServer({ API_KEY: apiKey });
  client = newClient(apiKey);
});

after(async () => {
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  await assert.rejects(client.models.list(), OpenAI.APIConnectionError);
});

function newClient(key) {
  return new OpenAI({ baseURL: server.baseURL, apiKey: key, maxRetries: 0 });
}

/** Checks the arguments of a call of submit_response. */
function assertRating(text) {
  assert.equal(typeof text, 'string');
  const args = JSON.parse(text);
  assert.deepEqual(Object.keys(args), ['value']);
  assert.ok(args.value >= 0 && args.value <= 100, text);
}

test('models.list and models.retrieve', async () => {
  const ids = [];
  for await (const model of client.models.list()) {
    assert.equal(model.object, 'model');
    assert.equal(model.owned_by, 'baseline');
    ids.push(model.id);
  }
  assert.deepEqual(ids, ['baseline']);
  assert.equal((await client.models.retrieve('default')).id, 'baseline');
});

test('completion', async () => {
  const { data, response, request_id } = await client.chat.completions
    .create({ model: 'default', messages, seed: 7 })
    .withResponse();
  assert.equal(data.object, 'chat.completion');
  assert.equal(data.model, 'baseline:random');
  assert.equal(data.choices.length, 1);
  assert.equal(data.choices[0].finish_reason, 'stop');
  assert.ok(data.choices[0].message.content.length > 0);
  assert.equal(data.usage.total_tokens, data.usage.prompt_tokens + data.usage.completion_tokens);
  assert.equal(request_id, response.headers.get('x-request-id'));
  const again = await client.chat.completions.create({ model: 'default', messages, seed: 7 });
  assert.deepEqual(again.choices, data.choices, 'the same seed gives another answer');
});

test('completion of one token', async () => {
  const completion = await client.chat.completions.create({ model: 'baseline', messages, max_tokens: 1 });
  assert.equal(completion.choices.length, 1);
  assert.ok(['stop', 'length'].includes(completion.choices[0].finish_reason));
});

test('tool call', async () => {
  const completion = await client.chat.completions.create({ model: 'baseline', messages, tools, tool_choice: 'auto' });
  const [choice] = completion.choices;
  assert.equal(choice.finish_reason, 'tool_calls');
  assert.equal(choice.message.content, null);
  assert.equal(choice.message.tool_calls.length, 1);
  assert.equal(choice.message.tool_calls[0].type, 'function');
  assert.equal(choice.message.tool_calls[0].function.name, 'submit_response');
  assertRating(choice.message.tool_calls[0].function.arguments);
});

test('structured output', async () => {
  const completion = await client.chat.completions.create({
    model: 'baseline',
    messages,
    response_format: { type: 'json_schema', json_schema: { name: 'rating', strict: true, schema: parameters } },
  });
  assert.equal(completion.choices[0].finish_reason, 'stop');
  assertRating(completion.choices[0].message.content);
});

test('streamed text', async () => {
  const stream = client.chat.completions.stream({ model: 'baseline', messages, stream_options: { include_usage: true } });
  let text = '';
  stream.on('content', (delta) => (text += delta));
  const completion = await stream.finalChatCompletion();
  assert.ok(text.length > 0);
  assert.equal(completion.choices[0].message.content, text);
  assert.equal(completion.choices[0].finish_reason, 'stop');
  assert.ok((await stream.totalUsage()).completion_tokens > 0);
});

test('streamed tool call', async () => {
  const stream = client.chat.completions.stream({ model: 'baseline', messages, tools });
  const done = [];
  stream.on('tool_calls.function.arguments.done', (call) => done.push(call));
  const completion = await stream.finalChatCompletion();
  assert.equal(completion.choices[0].finish_reason, 'tool_calls');
  assert.deepEqual(done.map((call) => call.name), ['submit_response']);
  assertRating(done[0].arguments);
  assert.equal(completion.choices[0].message.tool_calls[0].function.arguments, done[0].arguments);
});

test('runTools sends results back', async () => {
  const ratings = [];
  const submit = {
    type: 'function',
    function: { ...tools[0].function, parse: JSON.parse, function: ({ value }) => `rated ${ratings.push(value)}` },
  };
  // The baseline calls a tool whenever it may, so the number of rounds is given.
  const runner = client.chat.completions.runTools({ model: 'baseline', messages, tools: [submit] }, { maxChatCompletions: 3 });
  await runner.done();
  assert.equal(ratings.length, 3);
  assert.deepEqual(runner.messages.filter((m) => m.role === 'tool').map((m) => m.content), ['rated 1', 'rated 2', 'rated 3']);
});

for (const { name, error, call, want } of [
  {
    name: 'wrong key',
    error: OpenAI.AuthenticationError,
    call: () => newClient('sk-wrong').models.list(),
    want: { status: 401, type: 'invalid_request_error', code: 'invalid_api_key', param: null },
  },
  {
    name: 'unknown model',
    error: OpenAI.NotFoundError,
    call: () => client.chat.completions.create({ model: 'gpt-9', messages }),
    want: { status: 404, type: 'invalid_request_error', code: 'model_not_found', param: 'model' },
  },
  {
    name: 'unknown URL',
    error: OpenAI.NotFoundError,
    call: () => client.embeddings.create({ model: 'baseline', input: 'Hi' }),
    want: { status: 404, type: 'invalid_request_error', code: 'unknown_url', param: null },
  },
  {
    name: 'parameter that is not supported',
    error: OpenAI.BadRequestError,
    call: () => client.chat.completions.create({ model: 'baseline', messages, n: 2 }),
    want: { status: 400, type: 'invalid_request_error', code: 'unsupported_parameter', param: 'n' },
  },
  {
    name: 'bad request for a stream',
    error: OpenAI.BadRequestError,
    call: () => client.chat.completions.stream({ model: 'baseline', messages: [] }).finalChatCompletion(),
    want: { status: 400, type: 'invalid_request_error', code: 'invalid_value', param: 'messages' },
  },
]) {
  test(`error: ${name}`, async () => {
    await assert.rejects(call, (got) => {
      assert.ok(got instanceof error, `${got.constructor.name}: ${got.message}`);
      const { status, type, code, param } = got;
      assert.deepEqual({ status, type, code, param }, want);
      assert.match(got.requestID, /\w{8}/);
      return true;
    });
  });
}
