"""Tables of many archives: `python -m mlf.batch run --out DATASET URL…`.

Archives come from any storage that fsspec reaches. Dask runs the work. The rows become a dataset of Parquet
files. An archive that is broken, hangs or takes too much memory is one row.
"""
