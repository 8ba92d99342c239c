/** The longest wait of a test, in ms. It is no requirement on the speed: a loaded machine is ten times slower. */
export const WAIT_MS = 60_000;

/**
 * For http.createServer() of a fake. Node.js closes a connection that was idle for 5 s, also one whose next request came
 * while the machine stood still. The real servers wait for a minute or more.
 */
export const AS_REAL_SERVERS = { keepAliveTimeout: WAIT_MS };
