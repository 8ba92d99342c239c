// Without JavaScript: every form is on a page, its button can be seen, and it works. The test walks over all pages, sends each
// form once with what it contains, and does so again, because some forms appear only after others. At the end each route
// for forms must have taken one.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { asksForAnswer, ended, send } from '../../lib/chat.js';
import { everything, withBot } from '../../lib/everything.js';
import { PASSWORD } from '../../lib/rig.js';
import { routeTables } from '../../lib/routes.js';
import { answers, stage } from '../lib/stage.js';

const bot = await withBot({ after });
// One answer runs until its form "Stop" is sent, which takes minutes on a busy machine.
const { alfred, provider, asked, blank } = await stage({ ...bot, config: { ...bot.config, turn: { silence_seconds: 3600 } } });
const all = await everything(alfred, provider);
await all.ring();

/** The value that a person writes into an empty required field, or into the message box. */
const WRITTEN = { text: 'Something written',  password: PASSWORD, current: PASSWORD, workspace: 'Boat', start: '2040-12-01T17:00', code: 'no-such-code', confirm: 'anna', file: 'Dear Alfred' };
/** These end what others need, so they come later, in this order. */
const LATER = [/(delete|end|remove|dismiss|drop|stop|undo|pin|revoke|jobs\/retry)$/, /merge$|^\/workspace\/(rename|delete)$|^\/account\/links\/.*delete$|^\/suggestions\/keep$|^\/memory\/clear$|^\/trash\/(empty|restore|\{)|disable$|role$|revoke-others$|^\/account\/password$/, /^\/account\/delete$/, /^\/signout$/];
/** Their state takes long to make; these tests have it. */
const ELSEWHERE = { '/sessions/{session}/head': 'compare.test.js', '/admin/jobs/retry-skipped': 'embeddings.test.js', '/signin/code': 'second_step.test.js', '/account/second-step/codes': 'second_step.test.js', '/account/second-step/off': 'second_step.test.js', '/admin/users/{user}/second-step-off': 'second_step.test.js' };
/** Answers that refuse what WRITTEN has, and say so on the form. */
const REFUSED = { '/welcome': 401, '/sessions/{session}/compact': 409, '/data/export': 409, '/share/{link}': 401, '/account/delete': 400, '/account/second-step/confirm': 401, '/admin/users/{user}/role': 400 };

const routes = routeTables().filter((r) => r.method === 'POST' && r.surface === 'PAGE');
const pattern = (r) => new RegExp(`^${r.path.replace(/\{\w+\}/g, '[^/]+')}$`);
const routeOf = (path) => routes.find((r) => r.path === path) ?? routes.find((r) => pattern(r).test(path));

/** The forms of the open page with their values, one for each of their buttons. */
const forms = (page) =>
    page.evaluate(() =>
        [...document.forms].filter((f) => f.method === 'post').flatMap((form) => {
            const buttons = [...form.elements].filter((el) => el.type === 'submit');
            // Inside of a closed <details> its summary is what a person sees.
            const seen = (el) => el.checkVisibility() || [...document.querySelectorAll('details:not([open])')].some((box) => box.contains(el) && box.querySelector('summary').checkVisibility());
            return buttons.map((button) => ({
                action: button.getAttribute('formaction') ?? form.getAttribute('action') ?? location.pathname,
                fields: [...new FormData(form)].filter(([, value]) => typeof value === 'string').concat(button.name ? [[button.name, button.value]] : []),
                empty: [...form.elements].filter((el) => (el.required || el.id === 'text') && !el.value).map((el) => el.name),
                choices: [...form.elements].filter((el) => el.type === 'checkbox' && el.name === 'ids').slice(0, 1).map((el) => [el.name, el.value]),
                files: [...form.elements].filter((el) => el.type === 'file').map((el) => el.name),
                seen: seen(button),
            }));
        }),
    );

function multipart(fields, files) {
    const line = '----alfred-test';
    const part = (name, value, more = '') => `--${line}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
    return { headers: { 'content-type': `multipart/form-data; boundary=${line}` }, body: [...fields.map(([name, value]) => part(name, value)), ...files.map((name) => part(name, WRITTEN.file, '; filename="a.json"')), `--${line}--\r\n`].join('') };
}

test('without JavaScript every form is on a page, and works', async (t) => {
    // States that the pages of the list do not have.
    provider.next(async (call) => { await call.start(); await call.text('One, two'); await call.end('length'); }, (call) => asksForAnswer(call) && call.userText === 'Count');
    const cut = await send(all.anna, 'Count');
    await ended(all.anna, cut.turn);
    provider.next(answers('Bye.'), (call) => asksForAnswer(call) && call.userText === 'Passing');
    const passing = await send(all.anna, 'Passing', { temporary: true });
    await ended(all.anna, passing.turn);
    const runs = await send(all.anna, 'Take time');
    await asked('Take time');
    const pages = [...all.pages.filter((p) => p.as === null || p.as === all.anna), ...[cut, passing, runs].map((s) => ({ name: s.session, as: all.anna, path: `/s/${s.session}` }))];

    const plain = { javaScriptEnabled: false, allow: [/status of 4/] };
    const views = new Map([[all.anna, await blank(t, { as: all.anna, ...plain })], [null, await blank(t, plain)]]);
    const done = new Set(), bad = [];
    let stage = 0;
    const stageOf = (path) => LATER.findLastIndex((l) => l.test(path)) + 1;

    const isNext = (action) => {
        const route = routeOf(action.replace(/[?#].*/, ''));
        return !route || (!done.has(route.path) && stageOf(route.path) <= stage);
    };
    /** A client with the cookies of the view of `as`. */
    async function clientOf(as) {
        if (as) return as;
        const client = alfred.client();
        for (const { name, value } of await views.get(null).context().cookies()) client.cookies.set(name, value);
        return client;
    }
    /** Whether the HTML of a page has a form for walk(). Only then is it loaded in the browser, which shows what can be seen. */
    async function hasNext(as, path) {
        const answer = await (await clientOf(as)).get(path.replace(/#.*/, ''));
        if (answer.status !== 200) return true;
        const actions = [...answer.text.matchAll(/<form\b[^>]*/g)].filter(([tag]) => /method="?post/i.test(tag)).map(([tag]) => tag.match(/\baction="([^"]*)"/)?.[1] ?? path);
        return [...actions, ...[...answer.text.matchAll(/\bformaction="([^"]*)"/g)].map((m) => m[1])].some(isNext);
    }

    /** Sends the forms of a page whose routes had none yet; after each one the page is read again. */
    async function walk(as, path) {
        while (await hasNext(as, path)) {
            const page = views.get(as);
            const answer = await page.goto(path.replace(/#.*/, ''));
            if (answer.status() >= 500) bad.push(`${path}: ${answer.status()}`);
            let next = null;
            for (const form of await forms(page)) {
                const route = routeOf(form.action.replace(/[?#].*/, ''));
                if (!form.seen) continue; // for another state of the page
                if (!route) bad.push(`${form.action} on ${path}: no route`);
                else if (isNext(form.action)) { next = { ...form, route, as, on: path }; break; }
            }
            if (!next) return;
            const to = await submit(next, next.route);
            if (to) await walk(as, to);
        }
    }
    async function submit(form, route) {
        done.add(route.path);
        const filled = [...form.choices, ...form.fields.filter(([name, value]) => value || !form.empty.includes(name)), ...form.empty.filter((name) => !form.files.includes(name)).map((name) => [name, name === 'name' ? (form.as && !route.path.endsWith('/admit') ? `person-${done.size}` : 'anna') : WRITTEN[name] ?? assert.fail(`${route.path} on ${form.on} needs ${name}: give it a value in WRITTEN`)])];
        const client = await clientOf(form.as);
        client.csrf = ''; // a form without its token must not work
        // The answers of the model do not matter here.
        provider.always(answers('Gladly.'), (call) => asksForAnswer(call) && call.userText !== 'Take time');
        const answer = form.files.length ? await client.request('POST', form.action, multipart(filled, form.files)) : await client.request('POST', form.action, { form: filled });
        // A new password brings a new cookie.
        if (form.as) await views.get(form.as).context().addCookies([...client.cookies].map(([name, value]) => ({ name, value, url: alfred.baseUrl })));
        if (answer.status === 303) return answer.location;
        if (answer.status !== (REFUSED[route.path] ?? 200)) bad.push(`${route.path} on ${form.on}: ${answer.status} ${answer.text.match(/role="alert".*?<p[^>]*>(.*?)<\/p>/s)?.[1] ?? ''} ${JSON.stringify(filled)}`);
    }
    for (let before = -1; stage <= LATER.length || done.size > before; stage++) {
        before = done.size;
        for (const p of pages) await walk(p.as, p.path);
    }
    assert.deepEqual(bad, []);
    assert.deepEqual(routes.map((r) => r.path).filter((path) => !done.has(path) && !ELSEWHERE[path]), [], 'forms that are on no page of pagesOf() in tests/lib/everything.js');
});
