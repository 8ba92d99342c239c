// Sites of the web for tests: https with an authority of their own, and http. A strict server: a request that carries more
// than a reader of public pages needs is answered with 400.
//
//     const web = await startWeb();
//     web.pages['/tea'] = { body: '<title>Tea</title><p>Hot.' };           // or a function (request, response)
//     config: { web: { hosts: [web.host], ca_file: web.ca } }
//     web.requests                                                          // the paths, and how each was answered
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import os from 'node:os';
import { after } from 'node:test';

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

let made = null;
/** An authority, and a certificate of it for this machine. */
function certificate() {
    if (made) return made;
    const dir = mkdtempSync(`${os.tmpdir()}/alfred-web-`);
    after(() => rmSync(dir, { recursive: true, force: true }));
    const openssl = (...args) => execFileSync('openssl', args, { stdio: 'ignore', cwd: dir });
    openssl('req', '-x509', ...EC, '-days', '2', '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test authority');
    openssl('req', ...EC, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', '/CN=test');
    writeFileSync(`${dir}/extensions`, 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
    openssl('x509', '-req', '-in', 'request.pem', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'extensions', '-out', 'cert.pem');
    made = { ca: `${dir}/ca.pem`, key: readFileSync(`${dir}/key.pem`), cert: readFileSync(`${dir}/cert.pem`) };
    return made;
}

const ALLOWED = new Set(['host', 'user-agent', 'accept', 'accept-encoding', 'connection']);
function refusal(request) {
    const extra = Object.keys(request.headers).filter((name) => !ALLOWED.has(name));
    if (extra.length) return `the header ${extra[0]}`;
    if (request.method !== 'GET') return request.method;
    return /^Alfred\/\d/.test(request.headers['user-agent']) ? null : 'no name';
}

/** One site; stopped after the test file. `plain`: over http. */
export async function startWeb({ plain = false } = {}) {
    const { ca, key, cert } = certificate();
    const site = { pages: {}, requests: [], ca };
    const answer = (request, response) => {
        const why = refusal(request);
        site.requests.push(why ? `${request.url}: ${why}` : request.url);
        const page = site.pages[request.url];
        if (typeof page === 'function' && !why) return page(request, response);
        const { status = 200, type = 'text/html; charset=utf-8', body = '', headers = {} } = why ? { status: 400 } : (page ?? { status: 404, body: '<p>Nothing here' });
        response.writeHead(status, { ...(type && { 'content-type': type }), ...headers });
        response.end(body);
    };
    const server = plain ? http.createServer(answer) : https.createServer({ key, cert }, answer);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    after(() => {
        server.closeAllConnections();
        server.close();
    });
    site.port = server.address().port;
    site.host = `127.0.0.1:${site.port}`;
    site.url = `${plain ? 'http' : 'https'}://${site.host}`;
    /** A page that never answers: resolves with its next request, whose `gone` resolves when the client has left. */
    site.hangs = (path) => {
        const arrived = new Promise((resolve) => {
            site.pages[path] = (request, response) => resolve({ gone: once(response, 'close') });
        });
        return arrived;
    };
    /** The requests since the last call. */
    site.asked = () => site.requests.splice(0);
    assert.ok(site.port);
    return site;
}
