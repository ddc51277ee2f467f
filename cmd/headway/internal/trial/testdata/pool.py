"""Calls an API with requests as it is, from a pool of threads. Prints how many calls failed."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import requests

base, calls, at_once = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def fails(n):
    try:
        response = requests.get(f"{base}/items/{n}")
        return response.status_code != 200 or response.json() != {"number": n}
    except requests.RequestException as error:
        print(error, file=sys.stderr)
        return True


with ThreadPoolExecutor(at_once) as pool:
    print(json.dumps({"calls": calls, "failed": sum(pool.map(fails, range(calls)))}))
