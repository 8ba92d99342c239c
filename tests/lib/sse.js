// Reads text/event-stream as in the HTML standard (9.2.6): lines end in CR, LF or CRLF; an event ends with an empty
// line; `id` stays for later events. Comments, which are our heartbeat, are left out.

import { WAIT_MS } from './wait.js';

/** @typedef {{id: string, event: string, data: string}} SseEvent */

export class SseParser {
    #rest = '';
    #data = [];
    #event = '';
    #id = '';

    /** Takes decoded text and returns the events that it completes. @returns {SseEvent[]} */
    push(text) {
        const events = [];
        this.#rest += text;
        for (;;) {
            const end = this.#rest.search(/[\r\n]/);
            // A CR at the end may be half of a CRLF.
            if (end < 0 || (this.#rest[end] === '\r' && end + 1 === this.#rest.length)) return events;
            const line = this.#rest.slice(0, end);
            this.#rest = this.#rest.slice(end + (this.#rest.startsWith('\r\n', end) ? 2 : 1));
            const event = this.#line(line);
            if (event) events.push(event);
        }
    }

    #line(line) {
        if (line === '') {
            const event = { id: this.#id, event: this.#event || 'message', data: this.#data.join('\n') };
            const empty = this.#data.length === 0;
            this.#data = [];
            this.#event = '';
            return empty ? null : event;
        }
        if (line.startsWith(':')) return null;
        const colon = line.indexOf(':');
        const name = colon < 0 ? line : line.slice(0, colon);
        let value = colon < 0 ? '' : line.slice(colon + 1);
        if (value.startsWith(' ')) value = value.slice(1);
        if (name === 'data') this.#data.push(value);
        else if (name === 'event') this.#event = value;
        else if (name === 'id' && !value.includes('\0')) this.#id = value;
        return null;
    }
}

/**
 * An open event stream: an async iterator of events. `lastId` is the Last-Event-ID of a reconnecting browser. Leaving a
 * for-await loop does not close it; close() does, like a browser that goes away.
 */
export class EventStream {
    #events = [];
    #wake = null;
    #ended = false;
    #error = null;
    #parser = new SseParser();
    lastId = '';

    constructor(request, response) {
        this.request = request;
        this.response = response;
        this.status = response.statusCode;
        this.headers = response.headers;
        const decoder = new TextDecoder('utf-8', { fatal: true });
        response.on('data', (bytes) => {
            try {
                this.#events.push(...this.#parser.push(decoder.decode(bytes, { stream: true })));
            } catch (error) {
                this.#error = error;
            }
            this.#wake?.();
        });
        const ended = (error) => {
            this.#ended = true;
            this.#error ??= error ?? null;
            this.#wake?.();
        };
        response.on('end', () => ended());
        response.on('error', ended);
        response.on('close', () => ended());
    }

    /** The next event; null: the server has ended the stream. Throws when it broke off or timed out. */
    async next(timeoutMs = WAIT_MS) {
        const deadline = Date.now() + timeoutMs;
        while (this.#events.length === 0) {
            if (this.#error && !this.closed) throw this.#error;
            if (this.#ended) return null;
            const left = deadline - Date.now();
            if (left <= 0) throw new Error(`no event within ${timeoutMs} ms (last id ${this.lastId || 'none'})`);
            await new Promise((resolve) => {
                const timer = setTimeout(resolve, left);
                this.#wake = () => {
                    clearTimeout(timer);
                    resolve();
                };
            });
            this.#wake = null;
        }
        const event = this.#events.shift();
        this.lastId = event.id || this.lastId;
        return event;
    }

    async *[Symbol.asyncIterator]() {
        for (let event; (event = await this.next()) !== null; ) yield event;
    }

    /** Collects events up to one that satisfies `is`, or to the end of the stream. */
    async until(is, timeoutMs = WAIT_MS) {
        const got = [];
        for (let event; (event = await this.next(timeoutMs)) !== null; ) {
            got.push(event);
            if (is(event)) return got;
        }
        throw new Error(`the stream ended before the event came: ${JSON.stringify(got.slice(-5))}`);
    }

    /** All events up to the end. */
    async all(timeoutMs = WAIT_MS) {
        const got = [];
        for (let event; (event = await this.next(timeoutMs)) !== null; ) got.push(event);
        return got;
    }

    /** Stops reading, so that the server's writes block; resume() continues. */
    pause() {
        this.response.pause();
    }
    resume() {
        this.response.resume();
    }

    close() {
        this.closed = true;
        this.request.destroy();
    }
}
