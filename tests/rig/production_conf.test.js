// nginx/production.conf with a real nginx, in a temporary folder: only its paths, ports and certificate are replaced.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { startNginx } from '../lib/nginx.js';
import { ROOT, freePort, until } from '../lib/rig.js';

/** @param {number} port @param {string} path @returns {Promise<number>} the status; 0: no connection */
function statusOf(port, path) {
    return new Promise((resolve) => {
        const options = { host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false };
        https.get(options, (res) => res.resume().on('end', () => resolve(res.statusCode ?? 0))).on('error', () => resolve(0));
    });
}

test('each location with a limit of its own for bodies has it in both configurations', () => {
    const limits = (file) => {
        const found = {};
        for (const [, name, block] of readFileSync(`${ROOT}/nginx/${file}`, 'utf8').matchAll(/^ *location ([^{\n]+) \{\n([^}]*)\}/gm)) {
            const size = /client_max_body_size (\S+);/.exec(block)?.[1];
            if (size) found[name] = size;
        }
        return found;
    };
    // The defaults of [limits] and [speech], and what alfred adds to them.
    const defaults = { '@V1_BODY@': '16m', '@IMPORT@': String(1024 * 1024 * 1024 + 16384), '@PICTURE@': String(5 * 1024 * 1024 + 1024), '@SPEECH@': String(20 * 1024 * 1024 + 16384), '@DOCUMENT@': String(40 * 1024 * 1024) };
    const own = Object.fromEntries(Object.entries(limits('alfred.conf.in')).map(([name, size]) => [name, defaults[size] ?? size]));
    assert.ok(own['= /api/pictures']);
    assert.deepEqual(limits('production.conf'), own);
});

test('the errors of the production configuration are in every language', () => {
    const [, codes] = readFileSync(`${ROOT}/nginx/production.conf`, 'utf8').match(/\$alfred_lang \{([^}]*)\}/) ?? assert.fail('no map of $alfred_lang');
    for (const file of readdirSync(`${ROOT}/lang`)) assert.ok(codes.includes(` ${file.replace('.json', ';')}`), `lang/${file} has no line in $alfred_lang of nginx/production.conf`);
});

test('the production logs have paths without queries and without secret addresses', async (t) => {
    const dir = mkdtempSync(`${tmpdir()}/alfred-nginx-`);
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    const [plain, tls] = [await freePort(), await freePort()];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj',
        '/CN=alfred.example.org', '-keyout', `${dir}/key.pem`, '-out', `${dir}/cert.pem`], { stdio: 'ignore' });
    const conf = readFileSync(`${ROOT}/nginx/production.conf`, 'utf8')
        .replace(/^ +listen \[::\].*\n/gm, '')
        .replace('listen 80;', `listen 127.0.0.1:${plain};`)
        .replace('listen 443 ssl', `listen 127.0.0.1:${tls} ssl`)
        .replace(/\/etc\/letsencrypt\S+fullchain\.pem/, `${dir}/cert.pem`)
        .replace(/\/etc\/letsencrypt\S+privkey\.pem/, `${dir}/key.pem`)
        .replaceAll('/run/alfred/', `${dir}/`)
        .replaceAll('/var/log/nginx/', `${dir}/`)
        .replaceAll('/opt/alfred/', `${ROOT}/`);
    await startNginx(t, dir, conf, tls);
    for (const path of ['/share/SECRETofAshare', '/calendar/SECRETofAcalendar.ics', '/search?q=SECRETwords', '/tasks'])
        assert.equal(await statusOf(tls, path), 503, 'no program runs behind it');
    const log = await until('the log has the last request', () => {
        const text = readFileSync(`${dir}/alfred.log`, 'utf8');
        return text.includes(' GET /tasks 503 ') && text;
    });
    for (const path of ['/share/-', '/calendar/-', '/search']) assert.ok(log.includes(` GET ${path} 503 `), path);
    assert.ok(!log.includes('SECRET'), log);
    const errors = readFileSync(`${dir}/alfred-error.log`, 'utf8');
    assert.ok(!errors.includes('SECRET'), errors);
});
