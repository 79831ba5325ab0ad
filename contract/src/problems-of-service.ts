/** Refusals that are no fault of the request: the same request may succeed later. */
export const problemsOfService = {
  internal_error: {
    status: 500,
    title: 'Internal error',
    help: 'A fault of this service. Look up the request id in its log, and report what the log line says.',
  },
  project_moving: {
    status: 503,
    title: 'Project moving',
    help: 'The project is being moved to another installation, or from one, and takes nothing for some seconds; or it has moved, and the detail names its address. Nothing was stored. Wait for the seconds in Retry-After and send the request again.',
  },
  overloaded: {
    status: 503,
    title: 'Overloaded',
    help: 'Nothing was stored. Wait for the seconds in Retry-After and send the request again.',
  },
  database_unavailable: {
    status: 503,
    title: 'Database unavailable',
    help: 'Wait for the seconds in Retry-After and send the request again; /readyz shows when the database is back. A report that is sent twice is stored once.',
  },
  identity_provider_unavailable: {
    status: 503,
    title: 'Identity provider unavailable',
    help: 'The token could not be checked. Wait for the seconds in Retry-After and send the request again, or use an access token.',
  },
  shutting_down: {
    status: 503,
    title: 'Shutting down',
    help: 'This instance is stopping. Send the request again: another instance answers it, or this one after its restart.',
  },
} as const;
