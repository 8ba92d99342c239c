// Erased data leaves the files: the database, its write-ahead log and all other files of the data folder.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { asksForSummary, exchange, provide, serveFile } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const SECRET = 'zyzzyvaquokka';
const provider = await provide({ title: `About ${SECRET}` });
provider.always(answers(`**About**\n\nThe ${SECRET}.`), asksForSummary);
const alfred = await serveFile({ env: provider.env, config: { session: { idle_minutes: 0 }, jobs: { retry_seconds: 1 } } });
const anna = await alfred.admin('anna');

let wakes = 0;

/** The files of the data folder that contain a text. */
function filesWith(text) {
    return readdirSync(alfred.dataDir, { recursive: true }).filter((name) => {
        try {
            const path = `${alfred.dataDir}/${name}`;
            return statSync(path).isFile() && readFileSync(path).includes(text);
        } catch (error) {
            if (error.code === 'ENOENT') return false; // it was removed meanwhile
            throw error;
        }
    });
}

const summaryOf = async (session) => (await anna.getJson(`/api/sessions/${session}/summaries`)).summaries[0];

/** To the trash and out of it. */
async function erase(session) {
    assert.equal((await anna.request('DELETE', `/api/sessions/${session}`, { json: {} })).status, 200);
    assert.equal((await anna.request('DELETE', `/api/trash/${session}`, { json: {} })).status, 200);
    await until('its rows are gone', () => alfred.database((db) => db.prepare('SELECT count(*) AS n FROM trash').get().n === 0));
}
/** Makes the planned purge due now instead of in five minutes. */
async function purgeNow() {
    alfred.database((db) => db.exec("UPDATE job SET run_at = 0 WHERE kind = 'purge_index' AND state = 'ready'"));
    assert.equal((await anna.postJson('/api/memories', { text: `Wakes the helper, ${++wakes}` })).status, 201);
}
async function purged() {
    const waits = () => alfred.database((db) => db.prepare("SELECT count(*) AS n FROM job WHERE kind = 'purge_index' AND state <> 'done'").get().n);
    await until('the purge is over', () => waits() === 0);
}

test('a deleted session and cleared memories are in no file after the purge', async () => {
    const { session } = await exchange(anna, provider, `Tell me about the ${SECRET}.`, `The ${SECRET} is rare.`);
    await until('it is summarised', () => summaryOf(session));
    assert.equal((await anna.postJson('/api/memories', { text: `Anna likes the ${SECRET}` })).status, 201);
    assert.ok(filesWith(SECRET).length > 0);
    await erase(session);
    assert.equal((await anna.post('/memory/clear', {})).status, 303);
    await purgeNow();
    await purged();
    assert.deepEqual(filesWith(SECRET), []);
});

test('a reader that uses the log delays the purge, which is not lost', async () => {
    const { session } = await exchange(anna, provider, `Once more the ${SECRET}.`, `The ${SECRET} again.`);
    await until('it is summarised', () => summaryOf(session));
    const reader = new DatabaseSync(`${alfred.dataDir}/alfred.db`);
    after(() => reader.close());
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM message').get();
    await erase(session);
    const from = alfred.logs().length;
    await purgeNow();
    await alfred.waitForLog(/job \d+ \(purge_index\), attempt 1: /, { from });
    reader.exec('COMMIT');
    await purged();
    assert.deepEqual(filesWith(SECRET), []);
});
