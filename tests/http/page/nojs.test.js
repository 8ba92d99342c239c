// Alfred without script, as in a browser: only links and forms of the pages, with their values.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { articles, asksForAnswer, beginAnswer, provide, serveFile, wordsOf } from '../../lib/chat.js';
import { PASSWORD, until } from '../../lib/rig.js';

const provider = await provide();
const alfred = await serveFile({ env: provider.env, config: { 'provider.thinker': { kind: 'openai', base_url: `${provider.url}/v1`, models: ['gpt-5-mini', 'gpt-5.1'], api: 'chat' } } });
const anna = await alfred.admin('anna');

const plain = (s) => s.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** A browser without script: one page at a time. */
class Browser {
    constructor() {
        this.client = alfred.client();
    }
    async go(path) {
        let answer = await this.client.get(path.replace(/#.*/, ''));
        for (let hops = 0; answer.status === 303; hops++) {
            assert.ok(hops < 3, 'redirects without end');
            path = answer.location;
            assert.match(path, /^\/(?!\/)/, 'a redirect stays here');
            answer = await this.client.get(path.replace(/#.*/, ''));
        }
        return this.#arrive(answer, path);
    }
    #arrive(answer, path) {
        assert.match(answer.headers['content-type'], /^text\/html/);
        Object.assign(this, { path, status: answer.status, html: answer.text, words: wordsOf(answer.text.replace(/<(script|style|textarea).*?<\/\1>/gs, '')) });
        return this;
    }
    /** Fills and sends the form whose action matches; `fields` override its values. */
    async submit(action, fields = {}) {
        const forms = [...this.html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].flatMap(([, head, body]) => {
            // A button may have an action of its own.
            const actions = [head.match(/action="([^"]*)"/)?.[1] ?? this.path, ...[...body.matchAll(/\sformaction="([^"]*)"/g)].map((m) => m[1])];
            return actions.map((to) => ({ method: head.match(/method="([^"]+)"/)?.[1] ?? 'get', action: plain(to), body }));
        });
        const found = forms.filter((f) => action.test(f.action) && Object.keys(fields).every((name) => f.body.includes(`name="${name}"`)));
        assert.ok(found.length > 0, `no form ${action} on ${this.path}: ${forms.map((f) => f.action)}`);
        const { method, action: to, body } = found[0];
        const values = {};
        for (const [input] of body.matchAll(/<(?:input|button)\b[^>]*>/g)) {
            const name = input.match(/\bname="([^"]+)"/)?.[1];
            if (name && !/type="(checkbox|radio|submit)"|\sform="/.test(input)) values[name] = plain(input.match(/\bvalue="([^"]*)"/)?.[1] ?? '');
        }
        for (const [, name, rest] of body.matchAll(/<select\b[^>]*name="([^"]+)"[^>]*>(.*?)<\/select>/gs)) {
            values[name] = plain((rest.match(/<option[^>]*value="([^"]*)"[^>]*selected/) ?? rest.match(/value="([^"]*)"/))[1]);
        }
        for (const [, head, text] of body.matchAll(/<textarea\b([^>]*)>\n?(.*?)<\/textarea>/gs)) {
            const name = head.match(/\bname="([^"]+)"/)?.[1];
            if (name) values[name] = plain(text);
        }
        const form = { ...values, ...fields };
        this.client.csrf = ''; // a page without its token must not work
        if (method.toLowerCase() === 'get') return this.go(`${to}?${new URLSearchParams(form)}`);
        const answer = await this.client.request('POST', to, { form });
        for (const name of ['content-security-policy', 'x-content-type-options', 'cross-origin-opener-policy', 'referrer-policy'])
            assert.ok(answer.headers[name], `${to} answers ${answer.status} without ${name}`);
        return answer.status === 303 ? this.go(answer.location) : this.#arrive(answer, to);
    }
    get articles() {
        return [...articles(this.html).values()];
    }
    get sessionPath() {
        return this.path.match(/^\/s\/ses_[a-z0-9]{26}/)[0];
    }
    /** The text in the composer's box. */
    get draft() {
        return plain(this.html.match(/<form[^>]*id="composer".*?<textarea[^>]*>\n?(.*?)<\/textarea>/s)[1]);
    }
}

const browser = new Browser();
const answerNext = (text, question) => provider.next(answers(text), (c) => asksForAnswer(c) && (!question || c.userText === question));
const COMPOSER = /^\/s\/(new|ses_[a-z0-9]{26})$/;

test('signing in leads to the requested page', async () => {
    await browser.go('/sessions');
    assert.match(browser.path, /^\/signin/);
    await browser.submit(/^\/signin/, { name: 'anna', password: 'wrong password' });
    assert.equal(browser.status, 401);
    assert.match(browser.html, /value="anna"/, 'the name is kept');
    assert.ok(!browser.html.includes('wrong password'), 'the password is not');
    await browser.submit(/^\/signin/, { password: PASSWORD });
    assert.equal(browser.status, 200);
    await browser.go('/');
});

test('a message is sent, waits for its answer, and the page shows both', async () => {
    answerNext('An **answer**', 'A question');
    await browser.submit(COMPOSER, { text: 'A question' });
    assert.match(browser.path, /^\/s\/ses_[a-z0-9]{26}#m-\d+$/);
    assert.equal(browser.articles.length, 2);
    assert.match(browser.articles[0], /A question/);
    assert.match(browser.articles[1], /An <strong>answer<\/strong>/);
    answerNext('Another', 'And more\nin two lines');
    await browser.submit(COMPOSER, { text: 'And more\r\nin two lines' });
    assert.equal(browser.articles.length, 4);
    assert.match(browser.articles[2], /And more<br>in two lines/);
});

test('the same form sent twice stores one message', async () => {
    await browser.go('/');
    const twin = new Browser();
    twin.client = browser.client.clone();
    await twin.go('/');
    twin.html = browser.html; // a double click: one page, two posts
    // Both may have called the provider before one is recognised as a repetition.
    provider.always(answers('Once'), (c) => asksForAnswer(c) && c.userText === 'Double click');
    const both = await Promise.all([browser.submit(COMPOSER, { text: 'Double click' }), twin.submit(COMPOSER, { text: 'Double click' })]);
    assert.equal(both[0].sessionPath, both[1].sessionPath);
    assert.equal(both[1].articles.length, 2);
});

test('editing and answering again make versions with links between them', async () => {
    answerNext('Other words', 'Double click, edited');
    await browser.submit(/\/edit$/, { text: 'Double click, edited' });
    assert.equal(browser.articles.length, 2);
    assert.match(browser.articles[0], /Double click, edited.*aria-label="Previous version"/s);
    answerNext('Third words', 'Double click, edited');
    await browser.submit(/\/regenerate\?message=/);
    assert.match(browser.articles[1], /Third words/);
    const previous = plain(browser.articles[1].match(/href="([^"]+)"[^>]*rel="prev"/)[1]);
    await browser.go(previous);
    assert.match(browser.articles[1], /Other words/);
    const older = plain(browser.articles[0].match(/href="([^"]+)"[^>]*rel="prev"/)[1]);
    await browser.go(older);
    assert.match(browser.articles[1], /Once/);
    // A message from an old branch continues that branch.
    answerNext('Continued', 'From here');
    await browser.submit(COMPOSER, { text: 'From here' });
    assert.deepEqual(browser.articles.map((a) => /Once|Continued/.test(a)), [false, true, false, true]);
});

test('a failed answer offers Try again, which gives another', async () => {
    await browser.go('/');
    provider.next((call) => Promise.resolve(call.fail(400, { message: 'No' })), asksForAnswer);
    await browser.submit(COMPOSER, { text: 'Fails first' });
    assert.match(browser.words, /does not accept the request \(400\).*Your message is kept\./s);
    answerNext('Works now', 'Fails first');
    await browser.submit(/\/regenerate\?message=/);
    assert.match(browser.articles[1], /Works now/);
});

test('a running answer can be stopped from a page, and a second send keeps the typed text', async () => {
    const path = browser.sessionPath;
    const waiting = new Browser();
    waiting.client = browser.client.clone();
    await waiting.go(path);
    const posted = waiting.submit(COMPOSER, { text: 'Slow one' });
    const call = await beginAnswer(provider, 'Slow one');
    await call.text('Half');
    await browser.go(path);
    await browser.submit(COMPOSER, { text: 'Too early' });
    assert.equal(browser.status, 409);
    assert.match(browser.words, /still being written/);
    assert.equal(browser.draft, 'Too early', 'what was typed is kept');
    await browser.go(path);
    await browser.submit(/\/stop$/);
    await call.gone;
    await posted;
    assert.match(waiting.articles.at(-1), /Stopped\. The text so far is kept\./);
    assert.doesNotMatch(waiting.words, /Too early/);
});

test('after an empty or too long message the page shows an error and the text', async () => {
    await browser.go('/');
    await browser.submit(COMPOSER, { text: '  ' });
    assert.equal(browser.status, 400);
    assert.match(browser.words, /empty/);
    await browser.go('/');
    const long = 'long '.repeat(210_000);
    await browser.submit(COMPOSER, { text: long });
    assert.equal(browser.status, 413);
    assert.match(browser.words, /longer than 1\sMB/);
    assert.equal(browser.draft.trim(), long.trim());
});

/** The fields that the composer would send besides its text. */
function carried({ html }) {
    const form = html.match(/<form[^>]*id="composer".*?<\/form>/s)[0];
    const select = (name) => form.match(new RegExp(`<select name="${name}".*?</select>`, 's'))[0].match(/<option[^>]*value="([^"]*)"[^>]* selected/)?.[1];
    const hidden = (name) => form.match(new RegExp(`type="hidden" name="${name}" value="([^"]*)"`))?.[1];
    return { ...Object.fromEntries(['choice', 'effort', 'persona', 'compare_with'].map((name) => [name, select(name)])), ...Object.fromEntries(['parent', 'end', 'workspace', 'temporary'].map((name) => [name, hidden(name)])) };
}

test('a refused message keeps its branch, model, second model, effort and persona; so does its next attempt', async () => {
    const persona = (await anna.postJson('/api/personas', { name: 'Cook', text: 'You cook very well.' })).json.persona.id;
    const chosen = { choice: 'thinker/gpt-5-mini', effort: 'high', persona, compare_with: 'thinker/gpt-5.1' };
    await browser.go('/?workspace=Home&temporary=1');
    await browser.submit(COMPOSER, { text: ' ', ...chosen });
    assert.equal(browser.status, 400);
    assert.deepEqual(carried(browser), { ...chosen, parent: undefined, end: '', workspace: 'Home', temporary: 'yes' });
    assert.match(browser.html, /id="options-chosen"[^>]*>Cook</);

    await browser.go('/');
    answerNext('First answer', 'Which branch?');
    await browser.submit(COMPOSER, { text: 'Which branch?' });
    const path = browser.sessionPath, [, old] = browser.articles[1].match(/data-id="(\d+)"/);
    answerNext('Second answer', 'Which branch?');
    await browser.submit(/\/regenerate\?message=/);
    const idsOf = (list) => list.map((a) => a.match(/data-id="(\d+)"/)[1]), shown = () => idsOf(browser.articles);
    const newest = shown()[1];
    await browser.go(`${path}?at=${old}`);
    const before = shown();
    const long = 'long '.repeat(210_000);
    for (const text of [' ', long, '/nonsense']) {
        await browser.submit(COMPOSER, { text, ...chosen });
        assert.equal(browser.status, { ' ': 400, '/nonsense': 200 }[text] ?? 413);
        assert.deepEqual(carried(browser), { ...chosen, parent: old, end: undefined, workspace: undefined, temporary: undefined }, text.slice(0, 20));
        assert.deepEqual(shown(), before, 'the branch is shown');
    }
    const saved = await anna.post(`/sessions/${path.slice(3)}/messages/${before[0]}/text?parent=${old}`, { text: long });
    assert.deepEqual([saved.status, idsOf([...articles(saved.text).values()])], [413, before], 'of a change of a message, too');
    provider.next(answers('Of the cook'), (c) => c.userText === 'On this branch');
    await browser.submit(COMPOSER, { text: 'On this branch', compare_with: '' });
    const call = provider.calls.find((c) => c.userText === 'On this branch');
    assert.deepEqual([call.body.model, call.body.reasoning_effort, call.prompt.includes('You cook very well.')], ['gpt-5-mini', 'high', true]);
    assert.match(browser.articles.at(-3), /First answer/);
    const below = shown();
    await browser.go(`${path}?at=${newest}`);
    answerNext('Back here', 'On the other branch');
    await browser.submit(COMPOSER, { text: 'On the other branch' });
    const edit = await anna.post(`${path}/edit`, { message: below[2], text: long });
    assert.deepEqual([edit.status, idsOf([...articles(edit.text).values()])], [413, below], 'a refused edit shows the branch of its message');
    await browser.go(path);
    const end = shown();
    // The branch was deleted meanwhile: the rest of the form stays, on the session's own branch.
    browser.html = browser.html.replace(/name="end" value="\d+"/, 'name="parent" value="4294999999"');
    await browser.submit(COMPOSER, { text: ' ', effort: 'low' });
    assert.deepEqual([browser.status, carried(browser).effort, shown()], [400, 'low', end]);
});

test('a text for a branch, a message or a session that was deleted meanwhile is kept', async () => {
    const gone = async (path) => assert.equal((await anna.request('DELETE', `/api/sessions/${path}`, { json: {} })).status, 200);
    await browser.go('/');
    answerNext('First answer', 'Which will go?');
    await browser.submit(COMPOSER, { text: 'Which will go?' });
    const path = browser.sessionPath, session = path.slice(3), [, old] = browser.articles[1].match(/data-id="(\d+)"/);
    answerNext('Second answer', 'Which will go?');
    await browser.submit(/\/regenerate\?message=/);
    await browser.go(`${path}?at=${old}`);
    await gone(`${session}/messages/${old}`);
    await browser.submit(COMPOSER, { text: 'Written for an hour' });
    assert.equal(browser.status, 404);
    assert.match(browser.words, /This part of the conversation was deleted/);
    assert.equal(browser.draft, 'Written for an hour');
    answerNext('At the end', 'Written for an hour');
    await browser.submit(COMPOSER, { text: browser.draft });
    assert.deepEqual(browser.articles.map((a) => a.match(/First answer|Second answer|At the end/)?.[0]).filter(Boolean), ['Second answer', 'At the end']);

    for (const [form, fields] of [[`${path}/edit`, { message: old }], [`/sessions/${session}/messages/${old}/text`, {}]]) {
        const page = await anna.post(form, { ...fields, text: 'A careful change' });
        assert.equal(page.status, 404, form);
        assert.match(page.text, /This part of the conversation was deleted/);
        assert.ok(page.text.includes('\nA careful change</textarea>'), form);
    }
    await gone(session);
    await browser.submit(COMPOSER, { text: 'Too late' });
    assert.equal(browser.status, 410);
    assert.ok(browser.html.includes('\nToo late</textarea>'));
    assert.match(browser.html, /action="\/trash\/[^"]+\/restore" target="_blank"/);
    const nowhere = await anna.post('/there/is/no/such/page', { text: 'From another site' });
    assert.equal(nowhere.status, 404);
    assert.doesNotMatch(nowhere.text, /From another site/);
});

test('after a command the page has the model that the command has chosen', async () => {
    await browser.go('/');
    answerNext('Here', 'Command the model');
    await browser.submit(COMPOSER, { text: 'Command the model' });
    const before = carried(browser).choice;
    await browser.submit(COMPOSER, { text: '/model thinker/gpt-5.1' });
    assert.equal(browser.status, 200);
    assert.notEqual(before, 'thinker/gpt-5.1');
    assert.equal(carried(browser).choice, 'thinker/gpt-5.1');
});

test('a session is renamed, deleted, restored and erased', async () => {
    await browser.go('/sessions');
    await browser.go(plain(browser.html.match(/href="(\/sessions\?edit=ses_[a-z0-9]+)"/)[1]));
    await browser.submit(/\/rename$/, { title: 'My <own> title' });
    assert.match(browser.path, /^\/sessions\?done=/);
    assert.equal(browser.status, 200);
    assert.match(browser.words, /My <own> title/);
    await browser.go(plain(browser.html.match(/href="(\/sessions\?edit=ses_[a-z0-9]+)"/)[1]));
    await browser.submit(/\/pin$/);
    assert.match(browser.words, /pinned/);
    await browser.go(plain(browser.html.match(/href="(\/sessions\?edit=ses_[a-z0-9]+)"/)[1]));
    const gone = browser.html.match(/"\/sessions\/(ses_[a-z0-9]+)\/delete/)[1];
    await browser.submit(/\/delete$/);
    assert.match(browser.path, /^\/sessions/);
    assert.match(browser.words, /The session is in the trash\.Undo/);
    assert.equal((await browser.go(`/s/${gone}`)).status, 410);
    await browser.submit(/^\/trash\/ses_[a-z0-9]+\/restore$/);
    assert.equal((await browser.go(`/s/${gone}`)).status, 200);
    await browser.go(`/sessions?edit=${gone}`);
    await browser.submit(/\/delete$/);
    await browser.go('/trash');
    assert.match(browser.words, /My <own> title/);
    await browser.go(plain(browser.html.match(/href="(\/trash\/ses_[a-z0-9]+\/erase)"/)[1]));
    assert.match(browser.words, /Erase .*My <own> title.*It cannot be undone/s);
    await browser.submit(new RegExp(`^/trash/${gone}/erase$`));
    assert.equal(browser.status, 200);
    assert.doesNotMatch(browser.words, /My <own> title/);
    await until('its rows are removed', async () => (await browser.go(`/s/${gone}`)).status === 404);
});

test('an admin adds, promotes and disables a user', async () => {
    await browser.go('/admin/users');
    await browser.submit(/^\/admin\/users$/, { name: 'nora', role: 'member' });
    assert.match(browser.html, /\/welcome#[A-Za-z0-9_-]+/);
    await browser.go('/admin/users');
    await browser.submit(/\/role$/);
    assert.equal(browser.status, 200);
    await browser.submit(/\/disable$/);
    assert.match(browser.html, /disabled/);
    await browser.submit(/\/enable$/);
    assert.equal(browser.status, 200);
});

test('signing out ends the login', async () => {
    await browser.go('/account');
    await browser.submit(/^\/signout$/);
    assert.match(browser.path, /^\/signin/);
    await browser.go('/sessions');
    assert.match(browser.path, /^\/signin/);
});
