-- Pages of other sites that may call the API with a key of the partner, by their origin, such as https://portal.example.
CREATE TABLE partner_origin (
  origin TEXT NOT NULL,
  partner TEXT NOT NULL REFERENCES partner (partner),
  PRIMARY KEY (origin, partner)
) WITHOUT ROWID;

CREATE INDEX partner_origin_of ON partner_origin (partner);
