// An OpenAI-compatible server whose answers a test writes.

import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * Starts it on a free port.
 *
 * @param {(request: object, attempt: number) => object | Promise<object>} answer makes the message of an answer,
 *   from the request and the number of requests so far, starting at 1
 * @returns {Promise<{baseURL: string, stop: () => void}>}
 */
export async function startModel(answer) {
  let attempt = 0;
  const server = createServer(async (request, response) => {
    response.setHeader('Content-Type', 'application/json');
    if (request.method === 'GET') {
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'model-under-test', object: 'model' }] }));
      return;
    }
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const message = await answer(JSON.parse(Buffer.concat(chunks)), (attempt += 1));
    response.end(JSON.stringify({
      id: `chatcmpl-${attempt}`, object: 'chat.completion', created: 1, model: 'model-under-test',
      choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' }],
      usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 },
    }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    baseURL: `http://127.0.0.1:${server.address().port}/v1`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A message that calls submit_response. */
export const submit = (args) => ({
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'submit_response', arguments: typeof args === 'string' ? args : JSON.stringify(args) } }],
});
