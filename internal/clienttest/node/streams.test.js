// What the client makes of streams: of the compiled function's, and of recorded
// ones with the pings that break long silences (../ping_test.go records them).

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, test } from 'node:test';

import OpenAI from 'openai';

import { startDeployed } from './server.js';

const apiKey = 'sk-node-0123456789abcdef';
const tools = [
  { name: 'submit_response', parameters: { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] } },
  { name: 'send_chat', parameters: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] } },
].map((f) => ({ type: 'function', function: f }));

let server;
let client;

before(async () => {
  server = await startDeployed({ API_KEY: apiKey });
  client = new OpenAI({ baseURL: server.baseURL, apiKey, maxRetries: 0 });
});

after(async () => assert.deepEqual(await server.stop(), { code: 0, signal: null }));

/** Reads a stream to its end and returns what was seen on the way. */
async function read(client, params) {
  const stream = client.chat.completions.stream({ model: 'default', ...params });
  const seen = { reasoning: '', finished: [], done: [], chunks: [] };
  stream.on('chunk', (chunk) => {
    seen.chunks.push(chunk);
    for (const { delta, finish_reason: reason } of chunk.choices) {
      seen.reasoning += delta.reasoning_content ?? '';
      if (reason) seen.finished.push(reason);
    }
  });
  stream.on('tool_calls.function.arguments.done', (call) => seen.done.push(call));
  seen.text = '';
  stream.on('content', (delta) => (seen.text += delta));
  try {
    seen.completion = await stream.finalChatCompletion();
  } catch (error) {
    seen.error = error;
  }
  return seen;
}

const script = (name) => ({ messages: [{ role: 'user', content: `script: ${name}` }] });
const usage = { stream_options: { include_usage: true } };

for (const { name, params, text = null, finish, reasoning = '', calls = [], tokens } of [
  { name: 'stop', params: { messages: [{ role: 'user', content: 'Hi' }] }, text: 'Calm.', finish: 'stop' },
  { name: 'length', params: script('length'), text: 'I feel rather', finish: 'length' },
  { name: 'content_filter', params: script('content_filter'), text: 'I feel', finish: 'content_filter' },
  { name: 'tool_calls', params: { ...script('none'), tools }, finish: 'tool_calls', calls: [['submit_response', { value: 63.5 }]] },
  { name: 'text beside a call', params: { ...script('text and call'), tools }, text: 'Let me see.', finish: 'tool_calls', calls: [['submit_response', { value: 63.5 }]] },
  {
    name: 'several calls',
    params: { ...script('two calls'), tools, parallel_tool_calls: true },
    text: 'Both.',
    finish: 'tool_calls',
    calls: [['submit_response', { value: 63.5 }], ['send_chat', { message: 'Hi "you" 静か' }]],
  },
  { name: 'reasoning', params: script('reasoning'), text: 'Calm.', finish: 'stop', reasoning: 'Calm, or tense? Calm.' },
  { name: 'usage of text', params: { ...script('cached'), ...usage }, text: 'Calm.', finish: 'stop', tokens: [110, 5, 115, 100] },
  { name: 'usage of a call', params: { ...script('none'), tools, ...usage }, finish: 'tool_calls', calls: [['submit_response', { value: 63.5 }]], tokens: [12, 7, 19] },
]) {
  test(`stream: ${name}`, async () => {
    const seen = await read(client, params);
    assert.equal(seen.error, undefined);
    const [choice] = seen.completion.choices;
    assert.equal(choice.message.content || null, text);
    assert.equal(seen.text, text ?? '');
    assert.equal(choice.finish_reason, finish);
    assert.deepEqual(seen.finished, [finish]);
    assert.equal(seen.reasoning, reasoning);
    assert.deepEqual((choice.message.tool_calls ?? []).map((c) => [c.function.name, JSON.parse(c.function.arguments)]), calls);
    assert.deepEqual(seen.done.map((c) => [c.index, c.name]), calls.map(([tool], i) => [i, tool]));
    assert.equal(new Set((choice.message.tool_calls ?? []).map((c) => c.id)).size, calls.length);
    assert.equal(new Set(seen.chunks.map((c) => c.id)).size, 1);
    const u = seen.completion.usage;
    assert.deepEqual(u && [u.prompt_tokens, u.completion_tokens, u.total_tokens, ...(u.prompt_tokens_details ? [u.prompt_tokens_details.cached_tokens] : [])], tokens);
    assert.equal(seen.chunks.filter((c) => c.choices.length === 0).length, tokens ? 1 : 0);
  });
}

for (const { name, params, text = '', error, want } of [
  { name: 'ahead of the first event', params: script('at once'), error: OpenAI.BadRequestError, want: { status: 400, code: 'context_length_exceeded' } },
  { name: 'of a decision', params: { ...script('refusal'), tools }, error: OpenAI.InternalServerError, want: { status: 502, code: 'model_refusal' } },
  { name: 'after the first words', params: script('exception'), text: 'I feel ', error: OpenAI.APIError, want: { status: undefined, code: 'model_error' } },
  { name: 'of a truncated stream', params: script('truncated'), text: 'I feel ', error: OpenAI.APIError, want: { status: undefined, code: 'upstream_error' } },
  { name: 'of a broken connection', params: script('broken'), text: 'I feel ', error: OpenAI.APIError, want: { status: undefined, code: 'upstream_error' } },
]) {
  test(`stream error ${name}`, async () => {
    const seen = await read(client, params);
    assert.ok(seen.error instanceof error, `${seen.error}`);
    assert.deepEqual({ status: seen.error.status, code: seen.error.code }, want);
    assert.equal(seen.text, text);
    assert.deepEqual(seen.finished, []);
  });
}

test('pings are passed over', async () => {
  const recorded = createServer(async (req, res) => {
    const { messages } = JSON.parse((await req.toArray()).join(''));
    res.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
    res.end(await readFile(path.join(import.meta.dirname, 'streams', `${messages[0].content}.sse`)));
  }).listen(0, '127.0.0.1');
  await once(recorded, 'listening');
  try {
    const client = new OpenAI({ baseURL: `http://127.0.0.1:${recorded.address().port}/v1`, apiKey, maxRetries: 0 });
    const play = (name, params) => read(client, { messages: [{ role: 'user', content: name }], ...params });
    const text = await play('text', usage);
    assert.equal(text.completion?.choices[0].message.content, 'I feel calm.', text.error);
    assert.equal(text.completion.usage.total_tokens, 19);
    const decision = await play('decision', { tools });
    assert.equal(decision.completion?.choices[0].message.tool_calls[0].function.arguments, '{"value":72.5}', decision.error);
    for (const [name, words] of [['error', ''], ['error-within', 'I feel ']]) {
      const failed = await play(name);
      assert.ok(failed.error instanceof OpenAI.APIError, `${name}: ${failed.error}`);
      assert.equal(failed.error.code, 'upstream_error');
      assert.equal(failed.text, words);
      assert.deepEqual(failed.finished, []);
    }
  } finally {
    recorded.close();
  }
});
