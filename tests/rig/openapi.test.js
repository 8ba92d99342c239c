// docs/openapi.yaml matches the programs: every route and field, and no others.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';

import { createConfig, lintFromString } from '@redocly/openapi-core';

import { schemaOf } from '../../scripts/openapi-schemas.js';
import { openapi, reference } from '../../scripts/openapi.js';
import { ROOT } from '../lib/rig.js';
import { routeTables } from '../lib/routes.js';

test('docs/openapi.yaml is of today: after a change of routes or of docs/api.md run "make openapi"', () => {
    assert.equal(readFileSync(`${ROOT}/docs/openapi.yaml`, 'utf8'), openapi());
    assert.equal(readFileSync(`${ROOT}/docs/api_reference.md`, 'utf8'), reference());
});

test('it has every route of the tables, and each once', () => {
    const text = readFileSync(`${ROOT}/docs/openapi.yaml`, 'utf8');
    const routes = routeTables().filter((r) => r.path.startsWith('/api/'));
    assert.ok(routes.length > 30);
    // Read from the sources in a different way than the tables.
    const raw = readdirSync(`${ROOT}/src/web`, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.c')).flatMap((file) => [...readFileSync(`${ROOT}/src/web/${file}`, 'utf8').matchAll(/HTTP_([A-Z]+),\s*"(\/api\/[^"]*)"/g)].map(([, method, path]) => `${method} ${path}`));
    assert.deepEqual(new Set(routes.map((r) => `${r.method} ${r.path}`)), new Set(raw));
    const ids = [...text.matchAll(/operationId: "(\w+)"/g)].map(([, id]) => id);
    assert.equal(ids.length, routes.length);
    assert.equal(new Set(ids).size, ids.length, 'two routes share an operationId');
    assert.ok(ids.includes('get_sessions_session_messages'));
});

test('a word that is neither a type nor a schema is refused', () => {
    assert.deepEqual(schemaOf({ at: 'string?' }).required, ['at']);
    for (const word of ['strin', 'Sesion?', ['Sesion']]) assert.throws(() => schemaOf({ at: word }), /neither a type nor a schema/);
});

test('docs/api.md names every address of the pages\' scripts', () => {
    const named = readFileSync(`${ROOT}/docs/api.md`, 'utf8').split('## Internal addresses')[1].replace(/\{[^}]*\}/g, '{}');
    const paths = routeTables().map((r) => r.path.replace(/\{[^}]*\}/g, '{}')).filter((path) => path.startsWith('/page/'));
    assert.ok(paths.length > 10);
    assert.deepEqual(paths.filter((path) => !named.includes(path) && !named.includes(`…/${path.split('/').slice(-2).join('/')}`)), []);
});

test('a linter finds nothing in it', async () => {
    // The schemas of events are named in descriptions only: OpenAPI 3.1 has no place for them.
    const config = await createConfig({ extends: ['recommended'], rules: { 'no-unused-components': 'off', 'info-license': 'off' } });
    const lint = (source) => lintFromString({ source, config, absoluteRef: `${ROOT}/docs/openapi.yaml` });
    const found = await lint(openapi());
    assert.deepEqual(found.map((f) => `${f.ruleId}: ${f.message} ${f.location[0]?.pointer}`), []);
    const broken = await lint(openapi().replace('operationId: "get_me"', 'operationId: "patch_me"'));
    assert.ok(broken.some((f) => f.ruleId === 'operation-operationId-unique'));
});
