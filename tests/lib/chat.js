// Shared by the http tests of chats: starts the service once per file, sends, reads a turn's events like the page
// (docs/api.md), and compares articles.
import assert from 'node:assert/strict';
import { after } from 'node:test';

import { answers, startProvider } from '../fake/provider.js';
import { startAlfred } from './rig.js';

/** The helper's requests offer no tools; a turn's do. */
const ofHelper = (call) => !call.body?.tools;
/** The helper's request for a session's title. */
export const asksForTitle = (call) => ofHelper(call) && call.prompt.includes('title');
/** Its requests for a summary, and for topic and keywords. */
export const asksForSummary = (call) => call.prompt.includes('**Open ends**');
export const asksForTopic = (call) => call.prompt.includes('three to five');
/** A request for embeddings. */
export const asksForVectors = (call) => call.path.endsWith('/embeddings');
/** Its request for facts. */
export const asksForFacts = (call) => call.prompt.includes('lasting facts');
/** Its request for a compaction. */
export const asksForCompaction = (call) => call.prompt.includes('You shorten the older part');
/** Any other request. */
export const asksForAnswer = (call) => !asksForCompaction(call) && !asksForFacts(call) && !asksForVectors(call) && !asksForTitle(call) && !asksForSummary(call) && !asksForTopic(call);

export const TOPIC = '{"topic": "What was talked about", "keywords": ["one", "two", "three"]}';

/** A provider that answers the helper's requests for titles, facts and (unless `topics` is false) topics. The test answers the rest. */
export async function provide({ title = 'A short title', topics = true } = {}) {
    const provider = await startProvider();
    provider.always(answers(title), asksForTitle);
    provider.always(answers('[]'), asksForFacts);
    if (topics) provider.always(answers(TOPIC), asksForTopic);
    after(() => provider.stop());
    return provider;
}

/** One service for a whole test file. */
export const serveFile = (options = {}) => startAlfred({ ...options, t: { after } });

/** Whether an export or import waits or runs. */
export const isGoing = (transfer) => ['waiting', 'running'].includes(transfer.state);

let clientIds = 0;
export const newClientId = () => `test-${process.pid}-${++clientIds}`;

/** Sends a message; gives {session, asked, reply, turn} of the 202. */
export async function send(client, text, { session = 'new', ...more } = {}) {
    const sent = await client.postJson(`/api/sessions/${session}/messages`, { text, ...more });
    assert.equal(sent.status, 202, sent.text);
    return { ...sent.json, session: sent.json.session.id };
}

export const eventsOf = (client, turn, options) => client.events(`/page/turns/${turn}/events`, options);
export const stop = (client, turn) => client.postJson(`/api/turns/${turn}/stop`, {});
export const sessionOf = (client, id, query = '') => client.getJson(`/api/sessions/${id}${query}`);

/** Waits for the end of a turn; gives its data. */
export async function ended(client, turn) {
    const events = await eventsOf(client, turn);
    const last = (await events.until((e) => e.event === 'end')).at(-1);
    return JSON.parse(last.data);
}

/** Sends and lets the provider answer; returns the ids and the end. */
export async function exchange(client, provider, text, answer, options) {
    // Selected by text: a late request of a stopped or killed turn must not take this answer.
    provider.next(answers(answer), (call) => asksForAnswer(call) && call.asks(text));
    const sent = await send(client, text, options);
    return { ...sent, end: await ended(client, sent.turn) };
}

/** Sends to the offline model; gives the ids and the words of the answer. */
export async function exchangeOffline(client, text, session = 'new') {
    const sent = await send(client, text, { session });
    return { ...sent, said: wordsOf((await ended(client, sent.turn)).html) };
}

/** The model calls one tool for a request like `is`, and answers the next one; gives both. */
export async function answerWithTool(provider, is, name, args, answer = 'Very well.') {
    const call = await provider.call(is);
    await call.start();
    await call.toolCall(name, args);
    await call.end('tool_calls');
    const next = await provider.call(is);
    await answers(answer)(next);
    return { first: call, second: next };
}

/** exchange() with a model that calls one tool: also the requests, the messages, and the last tool's message with its result. */
export async function exchangeWithTool(client, provider, text, name, args, options) {
    const sent = await send(client, text, options);
    const calls = await answerWithTool(provider, (c) => asksForAnswer(c) && c.asks(text), name, args);
    const end = await ended(client, sent.turn);
    assert.equal(end.status, 'done');
    const { messages } = await sessionOf(client, sent.session);
    const tool = messages.findLast((m) => m.role === 'tool');
    return { ...sent, ...calls, end, messages, tool, result: JSON.parse(tool.text) };
}

/** The id of the open question; an id of no question when there is none. */
export const questionOf = async (client, session) => (await client.get(`/s/${session}`)).text.match(/id="questions".*?<\/section>/s)?.[0].match(/data-suggestion="(\d+)" data-state="open"/)?.[1] ?? '4294967296';
/** Presses a button of the question. */
export const confirm = async (client, session, answer, question) => decide(client, question ?? await questionOf(client, session), answer === 'yes' ? 'keep' : 'dismiss');
/** Presses a button of a suggestion: keep, dismiss or undo. */
export const decide = (client, id, verdict) => client.post(`/suggestions/${id}/${verdict}`, {});
/** The suggestions in an article or a page: ids, states, visible texts, and whether Undo is offered. */
export const suggestionsOf = (html) => html.split('<div class="suggestion" ').slice(1).map((part) => {
    const [, id, state] = part.match(/data-suggestion="(\d+)" data-state="(\w+)"/);
    const shown = part.match(new RegExp(`<div data-when="${state}"><p>(.*?)</p>`, 's'));
    return { id, state, words: shown ? wordsOf(shown[1]) : '', undo: state === 'done' && part.includes('data-decide="undo"') };
});
/** The questions that a page shows above the message box. */
export const questionsOf = (page) => suggestionsOf(page.match(/id="questions".*?<\/section>/s)[0]);

/** The transcript as a page builds it from events. */
export class Transcript {
    /** Finished articles and live blocks by message id, in order of appearance. */
    messages = new Map();
    turn = null;
    reply = null;
    end = null;

    apply({ event, data }) {
        const d = JSON.parse(data);
        switch (event) {
            case 'turn':
                this.turn = d.turn;
                this.reply = d.reply;
                this.#settle(d.asked, d.asked_html);
                if (!this.messages.has(d.reply)) this.messages.set(d.reply, { blocks: [] });
                break;
            case 'blocks':
                this.#patch(d);
                break;
            case 'step':
                this.#settle(d.m, d.html);
                for (const tool of d.tool_html) this.#settle(tool.id, tool.html);
                this.reply = d.reply;
                this.messages.set(d.reply, { blocks: [] });
                break;
            case 'end':
                this.end = d;
                if (d.html) this.#settle(d.m, d.html);
        }
        return this;
    }

    #settle(id, html) {
        this.messages.set(id, { html: comparable(html) });
    }

    #patch({ m, from, b }) {
        const blocks = this.messages.get(m)?.blocks;
        assert.ok(blocks, `blocks of message ${m}, which is not being written`);
        if (from !== undefined) {
            assert.ok(from <= blocks.length, `blocks from ${from}, but there are ${blocks.length}`);
            blocks.length = from;
        }
        for (const [index, keep, html] of b) {
            const old = blocks[index] ?? '';
            assert.ok(index <= blocks.length, `block ${index} leaves a gap after ${blocks.length}`);
            assert.ok(keep <= old.length, `block ${index} keeps ${keep} of ${old.length}`);
            blocks[index] = old.slice(0, keep) + html;
        }
    }

    /** The text of the running answer as a reader sees it. */
    get live() {
        return (this.messages.get(this.reply)?.blocks ?? []).join('');
    }
    /** All articles, for comparing two readers. */
    get shown() {
        return [...this.messages].map(([id, m]) => [id, m.html ?? m.blocks.join('')]);
    }
}

/** Reads into a transcript until `is`; returns the events. */
export async function follow(events, transcript, is) {
    const got = await events.until((e) => {
        transcript.apply(e);
        return is(e, transcript);
    });
    return got;
}

/** The request for an answer to `text`, with the answer begun. */
export async function beginAnswer(provider, text) {
    const call = await provider.call((c) => asksForAnswer(c) && c.asks(text));
    await call.start();
    return call;
}

/** Sends, begins the answer and reads its events; gives the ids, the request and the events. */
export async function beginTurn(client, provider, text, options) {
    const sent = await send(client, text, options);
    const call = await beginAnswer(provider, text);
    return { ...sent, call, events: await eventsOf(client, sent.turn) };
}

const CUT_MS = 30_000; // half of the time between two checks of logins, which end it, too

/** The stream ends; gives its last events. */
export const isOver = (events) => events.all(CUT_MS).catch((error) => {
    if (/no event within/.test(error.message)) throw error;
    return []; // a reset connection is as good
});
/** The stream ends without an end event, because its login or token has ended. */
export async function isCut(events) {
    assert.ok(!(await isOver(events)).some((e) => e.event === 'end'));
}

/** Sends one piece and waits until a reader has it. */
export async function say(call, events, transcript, piece, seen = piece) {
    await call.text(piece);
    return follow(events, transcript, () => wordsOf(transcript.live).includes(seen.trim()));
}

/** Article HTML without the parts that differ between readers and moments: tokens and relative times. */
export const comparable = (html) =>
    html
        .trim()
        .replace(/(name="csrf" value=")[^"]*/g, '$1')
        .replace(/(<time [^>]*><span[^>]*>)[^<]*/g, '$1');

/** The articles of a page by message id, comparable. */
export function articles(page) {
    const found = new Map();
    for (const [html, id] of page.matchAll(/<article class="msg[^>]*data-id="(\d+)".*?<\/article>/gs)) found.set(id, comparable(html));
    return found;
}

/** The words of a piece of HTML. */
export const wordsOf = (html) =>
    html
        .replace(/<[^>]*>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&');
