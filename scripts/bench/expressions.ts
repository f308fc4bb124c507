/**
 * The two shipped mappings once more, as JSONata expressions over an array of rows: what a user would write instead.
 *
 * Code lists are bound as objects, dates and zones go through `$readTime`, which is our own reader: only mapping is
 * compared. A row with something wrong gives nothing.
 */
import type { FileKind } from './generate.ts';

const CSV = `
$rows.(
  $load := $trim(\`Load #\`);
  $code := $lookup($statusCodes, $uppercase($trim(Status)));
  $cause := $trim(Reason);
  $reason := $cause = "" ? "NS" : $lookup($reasonCodes, $uppercase($cause));
  $zoneWord := $trim(TZ);
  $zone := $lookup($zones, $uppercase($zoneWord));
  $time := $readTime($trim(\`Event Date\`) & " " & $trim(\`Event Time\`), $exists($zone) ? $zone : $zoneWord);
  $city := $trim(City);
  $state := $trim(State);
  $stop := $trim(Stop);
  $pro := $trim(\`Pro Number\`);
  $bol := $trim(BOL);
  $trailer := $trim(Trailer);
  $references := [
    $pro != "" ? { "name": "PRO", "value": $pro },
    $bol != "" ? { "name": "BOL", "value": $bol },
    $trailer != "" ? { "name": "TRAILER", "value": $uppercase($trailer) }
  ];
  $load != "" and $load != "TOTAL" and $load != "Total" and $exists($code) and $exists($reason) and $exists($time)
    and ($stop = "" or $contains($stop, /^[+-]?[0-9]{1,15}$/)) ? {
      "loadNumber": $load,
      "eventCode": $code,
      "time": $time,
      "reasonCode": $reason,
      "eventCity": $city != "" ? $city,
      "eventState": $state != "" ? $uppercase($state),
      "stopsequenceNumber": $stop != "" ? $number($stop),
      "references": $count($references) > 0 ? $references
    }
)`;

const JSON_EVENTS = `
$rows.(
  $load := $trim($string(load.number));
  $code := $lookup($statusCodes, $uppercase($trim(status.code)));
  $cause := status.reason = null ? "" : $trim(status.reason);
  $reason := $exists($cause) and $cause != "" ? $lookup($reasonCodes, $uppercase($cause)) : "NS";
  $zoneWord := $trim(place.timeZone);
  $time := $readTime($trim(occurredAt), $exists($zoneWord) and $zoneWord != "" ? $zoneWord : "America/Chicago");
  $city := $trim(place.city);
  $state := $trim(place.state);
  $stop := $trim($string(load.stops[0].sequence));
  $pro := $trim($string(load.pro));
  $trailer := $trim(\`trailer-no\`);
  $references := [
    $exists($pro) and $pro != "" ? { "name": "PRO", "value": $pro },
    $exists($trailer) and $trailer != "" ? { "name": "TRAILER", "value": $trailer }
  ];
  $exists($load) and $load != "" and $exists($code) and $exists($reason) and $exists($time)
    and ($not($exists($stop)) or $stop = "" or $contains($stop, /^[+-]?[0-9]{1,15}$/)) ? {
      "loadNumber": $load,
      "eventCode": $code,
      "time": $time,
      "reasonCode": $reason,
      "eventCity": $city != "" ? $city,
      "eventState": $state != "" ? $uppercase($state),
      "stopsequenceNumber": $stop != "" ? $number($stop),
      "references": $count($references) > 0 ? $references
    }
)`;

export const EXPRESSIONS: Record<FileKind, string> = { csv: CSV, json: JSON_EVENTS };
