// Texts that the server writes are in the language of the reader: errors, notices, times, labels, and sentences that are
// stored with a message.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { asksForAnswer, ended, exchange, exchangeOffline, provide, send, serveFile, sessionOf, wordsOf } from '../../lib/chat.js';
import { fails } from '../../fake/provider.js';

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

test('the offline model answers in the language of the request, and takes a yes in it', async () => {
    const alone = await serveFile({ env: { TZ: 'UTC' } });
    const root = await alone.admin('root');
    assert.equal((await root.request('PATCH', '/api/settings', { json: { language: 'de' } })).status, 200);
    let session;
    const say = async (text) => {
        const reply = await exchangeOffline(root, text, session);
        session = reply.session;
        return reply.said;
    };
    assert.match(await say('Hallo'), /Hallo! Ich bin Alfreds eingebautes Modell.*Deine Nachricht bleibt in dieser Sitzung gespeichert\..*OPENAI_API_KEY/s);
    assert.match(await say('Setze Milch kaufen auf meine Liste'), /Das steht auf deiner Liste:\s*Milch kaufen/);
    assert.match(await say('Was steht auf meiner Liste?'), /Das steht auf deiner Liste:\s*Milch kaufen/);
    assert.match(await say('lösche die Aufgabe Milch kaufen'), /Soll ich diese Aufgabe löschen\? Sag ja oder nein\.\s*Milch kaufen/);
    assert.match(await say('ja'), /gelöscht/);
    assert.deepEqual((await root.getJson('/api/tasks')).tasks, []);
    assert.match(await say('Merk dir, dass meine Schwester Mia heißt'), /Das merke ich mir:\s*meine Schwester Mia heißt/);
    assert.match(await say('Was hast du dir gemerkt?'), /Das habe ich mir gemerkt:\s*meine Schwester Mia heißt/);
    assert.match(await say('Wie heißt meine Schwester?'), /Das habe ich mir gemerkt:\s*meine Schwester Mia heißt/);
    assert.equal((await root.post('/memory/pause', {})).status, 303);
    assert.match(await say('Merk dir, dass ich Tee mag'), /Das hat nicht geklappt\. Das Gedächtnis ist pausiert\./, 'errors of tools, too');
    assert.equal((await root.post('/memory/resume', {})).status, 303);
    assert.match(await say('Erinnere mich um 17 Uhr an den Anruf bei der Bank'), /Ich erinnere dich:\s*Anruf bei der Bank – (heute|morgen) um 17:00/);
    assert.match(await say('Erinnere mich jeden Montag um 8 an die Pflanzen'), /:\s*Pflanzen – jeden Montag um 08:00/);
    assert.match(await say('Zeig meine Erinnerungen'), /Deine Erinnerungen:(?=.*Anruf bei der Bank – (heute|morgen) um 17:00)/s);
    assert.match(await say('Wie spät ist es?'), /Ich habe auf die Uhr gesehen: Es ist \d\d:\d\d Uhr, \S+tag|Mittwoch/);
});
