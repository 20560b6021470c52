"""Tables of many archives: `python -m mlf.batch run --out DATASET URL…`.

Archives come from wherever fsspec reaches, each is one task of Dask, and what the tables say is a
dataset of Parquet files. An archive that is broken, hangs or takes too much memory is one row.
"""
