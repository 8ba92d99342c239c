// The page "Your data" in a browser: exports and imports, with script and without.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { axe, axeInBothSchemes } from '../lib/look.js';
import { leads, phone, ready, stage } from '../lib/stage.js';

const { alfred, open } = await stage({ providers: false });
await alfred.admin('anna');

const conversation = (id) => ({
    conversation_id: id,
    title: `Talk ${id} with a title that is long enough to need a second line on a phone`,
    create_time: 1.6e9,
    update_time: 1.6e9 + 1,
    current_node: 'b',
    mapping: {
        a: { parent: null, message: { author: { role: 'user' }, create_time: 1.6e9, content: { content_type: 'text', parts: ['Hi'] } } },
        b: { parent: 'a', message: { author: { role: 'assistant' }, create_time: 1.6e9 + 1, content: { content_type: 'text', parts: ['Hello'] } } },
    },
});
const folder = `${alfred.dataDir}/files`;
mkdirSync(folder);
const good = `${folder}/conversations.json`, bad = `${folder}/letter.json`;
writeFileSync(good, JSON.stringify([conversation('one'), conversation('two'), {}]));
writeFileSync(bad, 'Dear Alfred');

const rows = (page) => page.locator('#transfers > li');

test('a file is uploaded with a progress bar, and the page shows the result by itself', async (t) => {
    const client = await alfred.user('brings');
    const page = await open(t, { as: client, path: '/account' });
    await leads(page, '/data', () => page.getByRole('link', { name: 'Export and import' }).click());
    await page.getByLabel('File', { exact: true }).setInputFiles(good);
    await leads(page, /done=import_asked|\/data$/, () => page.getByRole('button', { name: 'Import', exact: true }).click());
    await page.getByText('2 conversations, 1 skipped: 1 could not be read or had no messages').waitFor();
    assert.equal(await page.locator('.flash').innerText(), 'The file is uploaded. The list shows the state of its import.', 'also true when the import has ended');
    assert.equal(await page.locator('[data-going]').count(), 0);
    assert.match(await rows(page).first().innerText(), /Import from ChatGPT/);
    await leads(page, /sessions/, () => page.getByRole('link', { name: 'Show all sessions' }).click());
    assert.equal(await page.getByRole('main').getByText(/^Talk (one|two)/).count(), 2);
});

test('a file above the limit is not sent, and the page says what to do instead', async (t) => {
    const client = await alfred.user('large');
    const page = await open(t, { as: client, path: '/data' });
    const large = `${folder}/large.zip`;
    writeFileSync(large, '');
    truncateSync(large, 1024 * 1024 * 1024 + 1);
    const sent = [];
    page.on('request', (r) => r.method() === 'POST' && sent.push(r.url()));
    await page.getByLabel('File', { exact: true }).setInputFiles(large);
    const button = page.getByRole('button', { name: 'Import', exact: true });
    await button.click();
    await page.getByText(/This file has 1\.1\sGB, and at most 1\sGB can be sent.*conversations-000\.json.*alfred import/).first().waitFor();
    assert.ok(await button.isEnabled());
    assert.equal(await page.locator('.sending progress').isVisible(), false);
    assert.deepEqual(sent, []);
    await page.getByLabel('File', { exact: true }).setInputFiles(good);
    await leads(page, /done=import_asked|\/data$/, () => button.click());
    await page.getByText('2 conversations, 1 skipped: 1 could not be read or had no messages').waitFor();
});

test('an export is made, downloaded and deleted', async (t) => {
    const client = await alfred.user('takes');
    const page = await open(t, { as: client, path: '/data' });
    await leads(page, /\/data/, () => page.getByRole('button', { name: 'Start export' }).click());
    const link = page.getByRole('link', { name: 'Download' });
    await link.waitFor();
    assert.equal(await page.locator('.flash').innerText(), 'The export is requested. The list shows its state.', 'also true when the file is written');
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    assert.match(download.suggestedFilename(), /^alfred-\d{4}-\d\d-\d\d\.zip$/);
    await leads(page, /transfer_deleted/, () => page.getByRole('button', { name: /^Delete: Export/ }).click());
    assert.equal(await rows(page).count(), 0);
});

test('an empty file is not sent, and the page says why', async (t) => {
    const page = await open(t, { as: await alfred.user('nothing'), path: '/data' });
    await page.getByLabel('File', { exact: true }).setInputFiles({ name: 'conversations.json', mimeType: 'application/json', buffer: Buffer.alloc(0) });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.locator('.sending').getByText('This file is empty. Nothing was imported.').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Import', exact: true }).isEnabled());
});

test('an invalid file is reported, at its field or in the list', async (t) => {
    const client = await alfred.user('errs');
    const page = await open(t, { as: client, path: '/data' });
    await page.getByLabel('File', { exact: true }).setInputFiles(bad);
    await leads(page, /data/, () => page.getByRole('button', { name: 'Import', exact: true }).click());
    await page.getByText('Failed. This is not a JSON file: it contains neither a list nor objects.').waitFor();
    assert.deepEqual(await axe(page), []);
});

test('a refused upload is reported beside the button, and can be tried again', async (t) => {
    const client = await alfred.user('refused');
    const page = await open(t, { as: client, path: '/data', allow: [/503/] });
    await page.route('**/api/imports', (route) => route.fulfill({ status: 503, contentType: 'application/json', body: JSON.stringify({ error: { code: 'unavailable', message: 'The disk of this server is full. Nothing was saved.' } }) }));
    await page.getByLabel('File', { exact: true }).setInputFiles(good);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.locator('.sending').getByText('The disk of this server is full').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Import', exact: true }).isEnabled());
});

test('the progress of an upload stays when the list changes elsewhere', async (t) => {
    const client = await alfred.user('busy');
    const page = await open(t, { as: client, path: '/data', allow: [/503/] }), other = await open(t, { as: client, path: '/data' });
    await page.waitForFunction(() => performance.getEntriesByType('resource').some((r) => r.name.endsWith('/follow.js')));
    let answer;
    const held = new Promise((ok) => { answer = ok; });
    await page.route('**/api/imports', (route) => held.then(() => route.fulfill({ status: 503, json: { error: { code: 'unavailable', message: 'Alfred is busy.' } } })));
    let reads = 0;
    page.on('request', (r) => { reads += r.resourceType() === 'fetch' && r.url().endsWith('/data'); });
    await page.getByLabel('File', { exact: true }).setInputFiles(good);
    const button = page.getByRole('button', { name: 'Import', exact: true });
    await button.click();
    await page.clock.install();
    await client.post('/data/export');
    await rows(other).first().waitFor();
    await page.clock.runFor(10_000);
    assert.deepEqual([reads, await button.isDisabled(), await page.getByRole('progressbar').isVisible()], [0, true, true]);
    answer();
    await page.locator('.sending').getByText('Alfred is busy.').waitFor();
    assert.ok(await button.isEnabled());
    await page.clock.runFor(10_000);
    await rows(page).first().waitFor();
    assert.ok(await page.locator('.sending').getByText('Alfred is busy.').isVisible(), 'the reason stays, too');
});

test('without script the same forms do the same', async (t) => {
    const client = await alfred.user('plain');
    const page = await open(t, { as: client, path: '/data', javaScriptEnabled: false });
    await page.getByLabel('File', { exact: true }).setInputFiles(good);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('The file is uploaded. The list shows the state of its import.').first().waitFor();
    for (let i = 0; i < 50 && (await page.getByText('2 conversations').count()) === 0; i++) await page.goto('/data');
    await page.getByText('2 conversations, 1 skipped').waitFor();
    await page.getByRole('button', { name: 'Start export' }).click();
    for (let i = 0; i < 50 && (await page.getByRole('link', { name: 'Download' }).count()) === 0; i++) await page.goto('/data');
    assert.equal(await page.getByRole('link', { name: 'Download' }).count(), 1);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    assert.equal(await page.locator('input[type=file]:invalid').count(), 1, 'the browser wants a file first');
});

test('axe finds nothing serious, and 320 px show all of it', async (t) => {
    const client = await alfred.user('axe');
    for (const file of [good, bad])
        await client.request('POST', '/api/imports', { body: readFileSync(file), headers: { 'content-type': 'application/json' } });
    await client.post('/data/export');
    const page = await open(t, { as: client, path: '/data', ...phone, viewport: { width: 320, height: 640 }, reducedMotion: 'reduce' });
    await page.getByRole('link', { name: 'Download' }).waitFor();
    await ready(page);
    assert.deepEqual(await axeInBothSchemes(page), []);
    assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth <= innerWidth), 'nothing is cut off');
});
