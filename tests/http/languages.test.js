// Texts that the server writes are in the language of the reader: errors, notices, times, labels, and sentences that are
// stored with a message.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { asksForAnswer, ended, exchange, provide, send, serveFile, sessionOf, wordsOf } from '../lib/chat.js';
import { fails } from '../fake/provider.js';

const provider = await provide();
const alfred = await serveFile({ env: provider.env });
const anna = await alfred.admin('anna');
const german = { headers: { 'accept-language': 'de-DE,de;q=0.9,en;q=0.5' } };

test('error pages and errors of the API are in the language of the request', async () => {
    assert.match(wordsOf((await anna.get('/nothing', german)).text), /Nicht gefunden.*Hier ist nichts\..*Zurück zu Alfred/s);
    assert.match(wordsOf((await anna.get('/nothing')).text), /Not found.*There is nothing here\./s);
    const long = (options) => anna.request('POST', '/api/tasks', { json: { text: 'x'.repeat(5000) }, ...options });
    assert.match((await long(german)).json.error.message, /^(„text“ darf höchstens|Eine Aufgabe darf höchstens) \d+(\.\d+)? Zeichen haben\.$/);
    assert.match((await long()).json.error.message, /may have at most \d+(,\d+)? characters\.$/);
});

test('the error of a turn is stored without a language and read in that of each reader', async () => {
    provider.next(fails(403), asksForAnswer);
    const sent = await send(anna, 'Please answer');
    await ended(anna, sent.turn);
    const { error } = (await sessionOf(anna, sent.session)).messages[1];
    assert.match(error, /does not let this key use/);
    const page = wordsOf((await anna.get(`/s/${sent.session}`, german)).text);
    assert.match(page, /erlaubt diesem Schlüssel das Modell .* nicht \(403\)\./);
    assert.doesNotMatch(page, /does not let this key/);
    const answer = await anna.get(`/api/sessions/${sent.session}`, german);
    assert.match(answer.json.messages[1].error, /erlaubt diesem Schlüssel/);
});

test('notices, times, numbers and days are in the language of the reader', async () => {
    assert.match(wordsOf((await anna.get('/tasks?done=task_added', german)).text), /Die Aufgabe steht auf deiner Liste\./);
    await anna.request('POST', '/api/tasks', { json: { text: 'Plan', due: '2030-12-06' } });
    assert.match(wordsOf((await anna.get('/tasks', german)).text), /Freitag, 6\. Dezember 2030/);
    const { session } = await exchange(anna, provider, 'A question', 'An answer.');
    const page = await anna.get(`/s/${session}`, german);
    assert.match(page.text, /gerade eben/);
    assert.match(page.text, /\d+\. (Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember) 20\d\d, \d\d:\d\d/);
    assert.doesNotMatch(page.text, /just now/);
});
