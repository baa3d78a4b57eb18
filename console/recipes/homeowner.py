# From a zip code to protection that you hold, with nothing but Python itself.
# Run it with FIRSTPRINT_KEY=… python3 homeowner.py
import json
import os
import urllib.parse
import urllib.request

URL = os.environ.get("FIRSTPRINT_URL", "http://127.0.0.1:4600")


def ask(path, body=None, **query):
    request = urllib.request.Request(f"{URL}{path}?{urllib.parse.urlencode(query)}")
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
        request.add_header("Authorization", f"Bearer {os.environ['FIRSTPRINT_KEY']}")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["data"]


node = ask("/api/geo/search", q="78704", limit=1)[0]["id"]

# A year of protection from the newest print on, for what a home of 500,000 USD loses
# from 2 to 10 %.
year, month = ask(f"/api/index/{node}")["asOfMonth"].split("-")
quote = ask(
    "/api/quotes",
    node=node,
    expiry=f"{int(year) + 1}-{month}",
    notional=40_000,
    kind="layered",
    attachBps=200,
    exhaustBps=1000,
)
print(f"{quote['nodeName']}: {quote['premiumUsd']} USD now, {quote['maxPayoutUsd']} USD at most")

order = ask(
    "/api/trading/orders",
    {
        "marketId": quote["seriesMarketId"],
        "outcomeIndex": 0,
        "side": "BUY",
        "amount": str(quote["contracts"]),
        "price": quote["limitPrice"],
    },
)
print(f"order {order['id']}: {order['filledAmount']} of {order['amount']} bought")
