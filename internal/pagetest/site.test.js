// What other sites get out of the dev server: nothing, since its page holds the key.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';

import { startDevServer } from '../clienttest/node/server.js';
import { launch } from './browser.js';

const apiKey = 'sk-site-0123456789abcdef';

let server;
let browser;
let attacker;
let page;

before(async () => {
  server = await startDevServer({ API_KEY: apiKey });
  attacker = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<title>elsewhere</title>'));
  await once(attacker.listen(0, '127.0.0.1'), 'listening');
  browser = await launch(['--host-resolver-rules=MAP attacker.example 127.0.0.1']);
  page = await browser.newPage();
});

after(async () => {
  await browser.close();
  attacker.close();
  await server.stop();
});

const port = () => new URL(server.baseURL).port;

test('a name elsewhere that leads here', async () => {
  for (const path of ['/', '/page/connection.json', '/page/page.js']) {
    const response = await page.goto(`http://attacker.example:${port()}${path}`);
    assert.equal(response.status(), 403, path);
    assert.ok(!(await response.text()).includes(apiKey));
  }
});

test('another site on this machine, and elsewhere', async () => {
  for (const host of ['127.0.0.1', 'localhost', 'attacker.example']) {
    await page.goto(`http://${host}:${attacker.address().port}/`);
    const got = await page.evaluate(async (root) => {
      const list = [];
      for (const path of ['/', '/page/connection.json', '/v1/models', '/page/verdict']) {
        for (const mode of ['cors', 'no-cors']) {
          const init = { mode, method: path.endsWith('verdict') ? 'POST' : 'GET' };
          list.push(await fetch(root + path, init).then((response) => response.text(), () => ''));
        }
      }
      const frame = document.createElement('iframe');
      frame.src = `${root}/`;
      document.body.append(frame);
      await new Promise((loaded) => (frame.onload = loaded));
      list.push(frame.contentDocument?.documentElement.textContent ?? '');
      return list;
    }, `http://127.0.0.1:${port()}`);
    assert.deepEqual(got, got.map(() => ''), host);
    assert.ok(!page.frames().some((frame) => frame.url() === `http://127.0.0.1:${port()}/`), `${host} frames the page`);
  }
});

test('the page itself gets it', async () => {
  await page.goto(`http://127.0.0.1:${port()}/`);
  const connection = await page.evaluate(() => fetch('/page/connection.json').then((response) => response.json()));
  assert.deepEqual(connection, { base_url: server.baseURL, api_key: apiKey });
});
