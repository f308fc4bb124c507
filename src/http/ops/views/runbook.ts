/** The runbook: what each alert means, where to look, and what to do. Alerts say `fix`; `npm run reference` makes a page of all. */

interface RunbookEntry {
  means: string;
  look: string;
  fix: string;
}

export const RUNBOOK = {
  channel_unreachable: {
    means: 'The object that gives permits for a channel does not answer.',
    look: 'GET /v1/ops/health, and the log line gate_unreachable.',
    fix: 'Nothing of this channel is sent meanwhile. Where it goes on for minutes, look at the status of the platform.',
  },
  channel_stopped: {
    means: 'A breaker is open: the receiving system fails or refuses, and rows wait without losing a try.',
    look: 'GET /v1/ops/channels/{name}: the scope, the cause and the last answer.',
    fix: 'GET /v1/ops/health says why. Mend the cause; one request at a time probes by itself, or release it.',
  },
  scac_parked: {
    means: 'The receiving system refuses everything of one SCAC.',
    look: 'GET /v1/ops/health: parkedScacs.',
    fix: 'Have the SCAC onboarded at the receiving system, then release it; else one request an hour tries.',
  },
  reads_failing: {
    means: 'Vehicles or locations cannot be read. Deliveries go on.',
    look: 'GET /v1/ops/health: failingReads.',
    fix: 'GET /v1/ops/health has the last answer. 401 or 403: have the key subscribed to that API. Files that look something up wait meanwhile.',
  },
  feed_unreachable: {
    means: 'The object that polls the orders of a partner does not answer.',
    look: 'The log line feed_not_reached.',
    fix: 'Where it goes on for minutes, look at the status of the platform.',
  },
  feed_gap: {
    means: 'The answer of a poll was lost, and changes of orders with it.',
    look: 'GET /v1/ops/feeds/{name}: gaps, and which orders are still asked for.',
    fix: 'Nothing, while the repair goes on. GET /v1/ops/feeds says which orders are asked for in vain; POST /v1/ops/feeds/{name}/skip ends the wait for one that is never answered.',
  },
  feed_trouble: {
    means: 'The last poll of a feed could not be made.',
    look: 'GET /v1/ops/feeds/{name}: trouble.',
    fix: 'The feed says what kept it from asking. Mend that; it tries again by itself.',
  },
  feed_late: {
    means: 'The next poll of a feed is overdue.',
    look: 'GET /v1/ops/feeds/{name}, and the log line feed_wake_up_failed.',
    fix: 'Nothing: its wake-up is set again within a minute. Where it goes on, look at the log.',
  },
  answers_unreadable: {
    means: 'Stored answers of polls could not be read.',
    look: 'GET /v1/ops/feeds/{name}: unreadable polls.',
    fix: 'Correct how answers are read (/v1/ops/answer-mappings/order-status), then read these again.',
  },
  entries_unfit: {
    means: 'Entries of polls do not fit how answers are read.',
    look: 'GET /v1/ops/feeds/{name}: unfitSamples.',
    fix: 'Look at the samples in GET /v1/ops/feeds; correct how answers are read, then read the poll again.',
  },
  webhooks_unreachable: {
    means: 'The object that sends the events of a partner does not answer.',
    look: 'The log line webhooks_not_reached.',
    fix: 'Where it goes on for minutes, look at the status of the platform.',
  },
  webhook_disabled: {
    means: 'A webhook was switched off after failures. Nothing more is sent to it.',
    look: 'GET /v1/ops/partners/{name}/webhooks/{target}/deliveries: the last answers.',
    fix: 'Have the partner mend its address, then PUT the webhook again; deliveries can be sent again.',
  },
  webhook_failing: {
    means: 'Nothing has arrived at a webhook for an hour.',
    look: 'GET /v1/ops/partners/{name}/webhooks/{target}/deliveries: the last answers.',
    fix: 'Ask the partner; GET …/webhooks/{id}/deliveries shows the last answers.',
  },
  alerts_not_sent: {
    means:
      'Whoever should be told of alerts is not: nothing has arrived at their webhook for an hour, or it was switched off.',
    look: 'GET /v1/ops/alert-webhook: the last answers.',
    fix: 'Mend what is at its address, then PUT /v1/ops/alert-webhook again: it is told of all that stands.',
  },
  rows_held: {
    means: 'Rows may have arrived or not, and only a person can say.',
    look: 'GET /v1/ops/letters?state=held.',
    fix: 'GET /v1/ops/letters?state=held lists them; each says what may be decided.',
  },
  rows_refused: {
    means: 'Rows of the last 30 days were not delivered and not sent again.',
    look: 'GET /v1/ops/issues: what failed alike.',
    fix: 'Each row says what is wrong. Have the partner correct the rows and send those alone, or mend the cause and replay them.',
  },
  files_unreadable: {
    means: 'Files of the last 30 days could not be read at all.',
    look: 'GET /v1/ops/batches?needs=unreadable.',
    fix: 'The page of the batch says why. Have the partner send the file again as it should be.',
  },
  keys_ending: {
    means: 'A key ends soon, and whoever uses it is refused from then on.',
    look: 'GET /v1/ops/partners/{name}/keys, or /v1/ops/operator-keys.',
    fix: 'Renew it and hand the new one over: the old one works on for a day, or as long as you say. Revoke it if nobody uses it.',
  },
  batches_stuck: {
    means: 'The last step of a batch failed; it is tried again every few seconds.',
    look: 'GET /v1/ops/batches?needs=trouble, and the log line batch_wake_up_failed with its stack.',
    fix: 'The page of the batch and the log say why. It is tried again by itself.',
  },
  batches_silent: {
    means: 'A batch that reads its file, or has a call under way, has said nothing new for half an hour.',
    look: 'GET /v1/ops/batches?state=reading,delivering. Is its channel stopped? Does the log have batch_not_reached?',
    fix: 'First mend what an alert says of its channel or feed. If there is none, open the page of the batch: that calls its object, which sets a lost wake-up again.',
  },
  rows_old: {
    means: 'Rows have been under way for three hours.',
    look: 'GET /v1/ops/batches/{id}/rows?state=queued,waiting,unknown: the reason and the next try of each.',
    fix: 'Mend what their reason names; they go on by themselves, until their deadline. Orders in unknown are looked up: leave them.',
  },
  backlog_large: {
    means: 'More rows are under way than the channels send in an hour at their usual rate.',
    look: 'GET /v1/ops/metrics/prometheus: transload_rows_open by partner; GET /v1/ops/health: permits and breakers.',
    fix: 'Nothing, if a large file came in and it falls. Else raise ratePerSecond as far as the receiving system allows, or ask the partner to spread its files.',
  },
  answers_failing: {
    means: 'The bridge itself answered with 5xx several times. Who called has no receipt and sends again.',
    look: 'GET /v1/ops/health/layers, and the log lines that the alert names, by their requestId.',
    fix: 'A layer that fails: look at the status of the platform. request_failed: report its stack. stored_data_newer: deploy the later release again. deploy_under_way: finish the deploy, or take it back.',
  },
  wake_ups_failing: {
    means: 'Steps of objects failed several times. Each is tried again; nothing is lost.',
    look: 'GET /v1/ops/health/layers, and the log lines that the alert names, with their stacks.',
    fix: 'A layer that fails: look at the status of the platform. Else report the stack; go back to the release before if it knows what is stored.',
  },
} as const satisfies Record<string, RunbookEntry>;

export type AlertCode = keyof typeof RUNBOOK;
