/** The shapes that modules and the server share. Types only: no browser loads this file. */
export type El = HTMLElement;
export type Fn = () => void;

/** A session row, as every list shows it. */
export interface Session {
  id: string;
  title: string;
  untitled: boolean;
  url: string;
  running: boolean;
  unread: boolean;
  pinned: boolean;
  count_words: string;
  active_words: string;
  context: Context;
}

/** How full the window of a session's model is. */
export interface Context {
  tokens: number;
  window: number;
  percent: number;
  known: boolean;
  compacting: boolean;
  error: string | null;
}

/** A request that starts a turn. */
export interface Ask {
  /** after /api/sessions/{id}/ */
  path: string;
  body: { client_id: string; text?: string; parent?: string; choice?: string };
  /** shown at once, and given back when the server refuses */
  text?: string;
}

/** What others want to know of the turn. */
export interface Listener {
  running?(on: boolean): void;
  /** with the first event */
  began?(turn: string): void;
  /** a new chat got its id */
  named?(id: string): void;
  ended?(status: string, session: Session | null): void;
  /** nothing was accepted */
  refused?(e: import("./api").ApiError, ask: Ask): void;
}

/** A turn's events, from a POST that starts it or from its id. */
export interface Following {
  first?: (signal: AbortSignal) => Promise<Response>;
  turn?: string;
  on(name: string, data: any): void;
  /** the line broke, or is back */
  line(lost: boolean): void;
  /** nothing more will come */
  fail(e: import("./api").ApiError): void;
}

/** A message above the box; id is the client id it will be sent with. */
export interface Waiting {
  id: string;
  text: string;
}

/** block index, characters of the old HTML that stay, the new rest */
export type Change = [number, number, string];
