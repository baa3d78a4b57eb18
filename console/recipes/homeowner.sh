# From a zip code to protection that you hold, with curl and jq.
# Run it with FIRSTPRINT_KEY=… sh homeowner.sh
set -eu
url=${FIRSTPRINT_URL:-http://127.0.0.1:4600}

node=$(curl -sSf "$url/api/geo/search?q=78704&limit=1" | jq -r '.data[0].id')

# A year from the newest print on.
as_of=$(curl -sSf "$url/api/index/$node" | jq -r .data.asOfMonth)
expiry=$((${as_of%-*} + 1))-${as_of#*-}

# A home of 500,000 USD loses 40,000 USD from 2 to 10 %.
quote=$(curl -sSf "$url/api/quotes?node=$node&expiry=$expiry&notional=40000\
&kind=layered&attachBps=200&exhaustBps=1000")
echo "$quote" | jq -r '.data | "\(.nodeName): \(.premiumUsd) USD now, \(.maxPayoutUsd) USD at most"'

order=$(echo "$quote" | jq '.data | {marketId: .seriesMarketId, outcomeIndex: 0, side: "BUY",
  amount: (.contracts | tostring), price: .limitPrice}')
curl -sSf "$url/api/trading/orders" -d "$order" \
  -H "Authorization: Bearer $FIRSTPRINT_KEY" -H 'Content-Type: application/json' |
  jq -r '.data | "order \(.id): \(.filledAmount) of \(.amount) bought"'
