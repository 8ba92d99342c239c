// Answers that nginx gives itself: static files, compression, refusals and limits.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';

import { parallel } from '../../lib/client.js';
import { ROOT, startAlfred } from '../../lib/rig.js';

const TOO_LONG = Buffer.alloc(4_300_000, 'x');

test('static files: cached for ever by address, compressed, guarded', async (t) => {
    const alfred = await startAlfred({ t });
    const client = alfred.client();
    const css = await client.get('/static/css/app.css?v=1', { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(css.status, 200);
    assert.match(css.headers['content-type'], /^text\/css/);
    assert.match(css.headers['cache-control'], /immutable/);
    assert.equal(css.headers['x-content-type-options'], 'nosniff');
    assert.equal(css.headers.vary, 'Accept-Encoding');
    const packed = readFileSync(`${ROOT}/static/css/app.css.gz`);
    assert.ok(css.body.equals(packed), 'the file that the build compressed');
    assert.ok(gunzipSync(packed).equals(readFileSync(`${ROOT}/static/css/app.css`)));
    const plain = await client.get('/static/css/app.css', { headers: { 'accept-encoding': 'identity' } });
    assert.ok(plain.body.equals(gunzipSync(packed)));
    assert.equal((await client.get('/static/css/app.css')).headers['cache-control'], 'no-cache');
    assert.equal((await client.get('/favicon.ico')).headers['content-type'].split(';')[0], 'image/svg+xml');
    for (const path of ['/static/css/app.css', '/static/nope.css', '/favicon.ico', '/robots.txt']) {
        const { headers } = await client.get(path);
        assert.match(headers['content-security-policy'] ?? '', /^default-src 'none';.* frame-ancestors 'none'$/, path);
        assert.equal(headers['x-content-type-options'], 'nosniff', path);
    }
    const page = await client.get('/signin');
    assert.equal(page.headers.server, 'nginx');
    for (const path of ['/static/nope.css', '/static/../alfred.toml', '/static..%2fREADME.md', '/_stream', '/_error/404.html']) {
        assert.equal((await client.get(path)).status, 404, path);
    }
});

test('pages and JSON are compressed for requests of our own pages only, and never with the same token', async (t) => {
    const alfred = await startAlfred({ t });
    const anna = await alfred.admin('anna');
    const from = (path, site) => anna.get(path, { headers: { 'accept-encoding': 'gzip', 'sec-fetch-site': site } });
    await Promise.all(Array.from({ length: 8 }, (_, i) => anna.postJson('/api/tasks', { text: `Task ${i} `.repeat(40) })));
    for (const path of ['/', '/sessions', '/search?q=words', '/api/tasks']) {
        for (const site of ['same-origin', 'none']) {
            const answer = await from(path, site);
            assert.equal(answer.headers['content-encoding'], 'gzip', `${path} from ${site}`);
            assert.equal(answer.headers['cache-control'], 'no-store, no-transform');
            assert.match(gunzipSync(answer.body).toString(), /<\/html>|^\{"tasks"/);
        }
        // A site that has the browser request pages with words of its own learns nothing from their length.
        for (const site of ['cross-site', 'same-site', null, 'Same-Origin, none']) {
            assert.equal((await from(path, site)).headers['content-encoding'], undefined, `${path} from ${site}`);
        }
    }
    const page = async () => gunzipSync((await from('/', 'same-origin')).body).toString();
    const [one, two] = [await page(), await page()];
    const tokens = (text) => new Set([...text.matchAll(/name="csrf" (?:value|content)="([^"]+)"/g)].map((m) => m[1]));
    assert.equal(tokens(one).size, 1);
    assert.notDeepEqual(tokens(one), tokens(two), 'the token has another mask in each page');
});

test('refusals of nginx have our form', async (t) => {
    const alfred = await startAlfred({ t });
    const client = alfred.client();
    const json = { 'content-type': 'application/json' };
    for (const path of ['/api/sessions', '/api/sessions/new/messages', '/api/turns/x/stop']) {
        const answer = await client.request('POST', path, { body: TOO_LONG, headers: json });
        assert.equal(answer.status, 413, path);
        assert.equal(answer.json.error.code, 'too_big', path);
    }
    for (const path of ['/signin', '/s/new']) {
        const answer = await client.request('POST', path, { body: TOO_LONG });
        assert.equal(answer.status, 413, path);
        assert.match(answer.text, /<h1>Too long<\/h1>/, path);
        assert.equal(answer.headers['cache-control'], 'no-store', path);
        assert.equal(answer.headers['cross-origin-opener-policy'], 'same-origin', path);
    }
    // RFC 9457 for the API, OpenAI's form for /v1.
    const long = '/sessions?q=' + 'x'.repeat(100_000);
    for (const [method, path, options, status, code] of [
        ['GET', `/api${long}`, {}, 414, 'too_big'],
        ['POST', '/api/sessions', { body: TOO_LONG, headers: json }, 413, 'too_big'],
        ['GET', '/api/sessions', { headers: { 'x-long': 'x'.repeat(100_000) } }, 400, 'bad_input'],
        ['TRACE', '/api/sessions', {}, 405, 'method'],
    ]) {
        const answer = await client.request(method, path, options);
        const { title, detail, error, ...rest } = answer.json;
        assert.equal(answer.status, status, `${method} ${path.slice(0, 30)}`);
        assert.equal(answer.headers['content-type'], 'application/problem+json');
        assert.deepEqual(rest, { type: 'about:blank', status, errors: [] });
        assert.deepEqual(error, { code, message: detail });
        assert.ok(title);
    }
    const openai = await client.get(`/v1${long}`);
    assert.equal(openai.status, 414);
    assert.match(openai.headers['content-type'], /^application\/json/);
    assert.deepEqual({ ...openai.json.error, message: '' }, { message: '', type: 'invalid_request_error', param: null, code: 'too_big' });
    assert.equal((await client.get(`/page${long}`)).json.error.code, 'too_big');
    assert.match((await client.get(long)).text, /<h1>Too long<\/h1>/);
    const typed = await new Promise((resolve, reject) => {
        http.get(`http://localhost:${alfred.httpsPort}/s/x?y=1`, resolve).on('error', reject);
    });
    assert.equal(typed.statusCode, 301);
    assert.equal(typed.headers.location, `https://localhost:${alfred.httpsPort}/s/x?y=1`);
});

test('HTTP/2 is spoken, and its long bodies are refused the same way', async (t) => {
    const alfred = await startAlfred({ t });
    const session = http2.connect(alfred.baseUrl, { rejectUnauthorized: false });
    t.after(() => session.close());
    const request = session.request({ ':method': 'POST', ':path': '/api/sessions/new/messages' });
    request.on('error', () => {}); // the server may stop reading
    request.end(TOO_LONG);
    const [headers] = await once(request, 'response');
    assert.equal(headers[':status'], 413);
    let body = '';
    for await (const chunk of request) body += chunk;
    assert.equal(JSON.parse(body).error.code, 'too_big');
});

test('too many requests and sign-ins of one address get 429 with Retry-After', async (t) => {
    const alfred = await startAlfred({ t, config: { limits: { requests_per_second: 10, signins_per_minute: 6 } } });
    const client = alfred.client();
    const answers = await parallel(80, 10, () => client.get('/api/me'));
    const refused = answers.filter((a) => a.status === 429);
    assert.ok(refused.length > 0 && refused.length < 80, String(refused.length));
    assert.equal(refused[0].json.error.code, 'rate_limited');
    assert.equal(refused[0].headers['retry-after'], '5');
    const signIns = await parallel(60, 10, () => client.post('/signin', { name: 'x', password: 'y' }));
    assert.ok(signIns.some((a) => a.status === 429));
});

test('a program that cannot be reached is 503 with Retry-After, as page or JSON', async (t) => {
    const alfred = await startAlfred({ t });
    const client = alfred.client();
    // A program that accepts no connections, as nginx sees it.
    const runDir = alfred.runDir();
    for (const name of ['pages', 'api', 'stream']) rmSync(`${runDir}/${name}.sock`);
    for (const [method, path] of [['GET', '/api/me'], ['GET', '/api/turns/x/events'], ['POST', '/api/sessions/new/messages']]) {
        const answer = await client.request(method, path, method === 'POST' ? { json: {} } : {});
        assert.equal(answer.status, 503, path);
        assert.equal(answer.json.error.code, 'unavailable', path);
        assert.ok(Number(answer.headers['retry-after']) > 0);
    }
    const page = await client.get('/');
    assert.equal(page.status, 503);
    assert.match(page.text, /<h1>One moment<\/h1>/);
    for (const [accepted, lang, title] of [['de-AT,en;q=0.5', 'de', 'Einen Moment'], ['tlh', 'en', 'One moment']]) {
        const { text } = await client.get('/', { headers: { 'accept-language': accepted } });
        assert.ok(text.includes(`<html lang="${lang}">`) && text.includes(`<h1>${title}</h1>`), accepted);
    }
    for (const path of ['/share/SECRETofAshare', '/search?q=SECRETwords']) assert.equal((await client.get(path)).status, 503);
    await alfred.stop();
    assert.ok(!alfred.logs().includes('SECRET'), alfred.logs());
});
